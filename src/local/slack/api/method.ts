import { z } from 'zod';
import type { JsonObject } from '../json.ts';
import { Refusal } from '../refusal.ts';
import type { Workspace } from '../workspace.ts';

/** A method of the Web API: takes what came, answers what Slack answers without `ok`, or throws a Refusal. */
export type Method = (args: JsonObject, workspace: Workspace) => JsonObject;

export function defineMethod<Args>(
  schema: z.ZodType<Args>,
  answer: (args: Args, workspace: Workspace, raw: JsonObject) => JsonObject,
): Method {
  return (raw, workspace) => {
    const read = schema.safeParse(raw);
    if (!read.success) throw new Refusal('invalid_arguments', read.error.issues.map(worded));
    return answer(read.data, workspace, raw);
  };
}

/** Flags and numbers come as text in a form, and as themselves in JSON. */
export const flag = z.union([z.boolean(), z.stringbool()]).optional();
export const count = z.coerce.number().int();

function worded(issue: z.core.$ZodIssue): string {
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  const text = missing ? `missing required field: ${issue.path.join('.')}` : issue.message;
  return `${text} [json-pointer:/${issue.path.join('/')}]`;
}
