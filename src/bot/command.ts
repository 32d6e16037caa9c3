import type { ModalView } from '@slack/types';
import type { z } from 'zod';
import type { Right } from '../config/rights.ts';
import { OperatorError } from '../errors.ts';
import type { Asker } from '../jobs/jobs.ts';
import type { Deployment } from '../jobs/deployment.ts';
import type { Message } from './cards/message.ts';
import { usage, type Grammar } from './grammar.ts';
import type { Parsed } from './parse.ts';

export interface Caller {
  asker: Asker;
  channel: string;
  /** What the asker may do in this channel. */
  right: Right | 'none';
  /** Why it may be less than it should be: a sentence for a refusal. */
  unsure?: string;
  /** Whether one of the names (rights, people, user groups: as in approvals.from) means the asker, in this channel. */
  isAmong: (names: readonly string[]) => Promise<boolean>;
  /** The command as words, for an answer that repeats it. */
  typed: string;
  /** Whether a form can be shown: there is none without Slack, and none without a fresh click or command. */
  canOpen: boolean;
  /** The asker's time zone, as in Europe/Berlin. */
  zone: () => Promise<string>;
}

export interface Answer {
  message: Message;
  /** What it was about, for the audit. */
  about?: Pick<Deployment, 'cluster' | 'number' | 'uid'>;
  /** The same when it is no deployment: a cluster, or all of them. */
  cluster?: string;
  /** For everybody in the channel, not only for who asked. */
  share?: boolean;
  /** A form in place of the message, which stands for it where no form can be shown. */
  form?: ModalView;
}

export interface ChatCommand extends Grammar {
  summary: string;
  /** What the asker needs. */
  right: Right;
  /** Who of those may, where that depends on the deployment, in words for the documentation: "its owner". */
  people?: string;
  /** Left out: what takes more than looking does. */
  changes?: boolean;
  /** When somebody else is asked first, in words for the documentation: "if a model serves". */
  approval?: string;
  /** What the audit keeps of it, for the documentation. */
  audited: string;
  /** What a refusal says did not happen: "Not started". */
  not?: string;
  /** Shown for the command alone. */
  form?: (caller: Pick<Caller, 'channel'>) => Promise<ModalView>;
  run: (parsed: Parsed, caller: Caller) => Promise<Answer>;
}

interface Definition<Input extends z.ZodObject> {
  name: string;
  summary: string;
  right: Right;
  people?: string;
  changes?: boolean;
  approval?: string;
  input: Input;
  positional?: readonly (keyof z.output<Input> & string)[];
  words?: Readonly<Record<string, keyof z.output<Input> & string>>;
  flags?: readonly (keyof z.output<Input> & string)[];
  overrides?: boolean;
  tail?: keyof z.output<Input> & string;
  not?: string;
  form?: NonNullable<ChatCommand['form']>;
  run: (context: Caller & { input: z.output<Input>; overrides: Readonly<Record<string, string>> }) => Promise<Answer>;
}

/** A command as data: parsing, usage, rights and help are derived from it; `run` gets typed input. */
export function defineCommand<Input extends z.ZodObject>(definition: Definition<Input>): ChatCommand {
  const { input, run, positional = [], words = {}, flags = [], overrides = false, tail, ...rest } = definition;
  const required = Object.entries(input.shape)
    .filter(([, field]) => !field.safeParse(undefined).success)
    .map(([key]) => key);
  const grammar: Grammar = {
    name: rest.name,
    positional,
    words,
    flags,
    overrides,
    required,
    ...(tail !== undefined && { tail }),
  };
  return {
    ...rest,
    ...grammar,
    audited: changesSomething(rest) ? 'who, words, decision, deployment' : 'who, words, decision',
    run: async (parsed, caller) => {
      const result = input.safeParse(parsed.values);
      if (!result.success) {
        throw new OperatorError('usage', result.error.issues[0]?.message ?? 'The words are wrong.', {
          hint: `Usage: ${usage(grammar)}`,
        });
      }
      return run({ ...caller, input: result.data, overrides: parsed.overrides });
    },
  };
}

/** Whether it is to change something; looking alone isn't. */
export function changesSomething({
  right,
  changes = right !== 'viewer',
}: Pick<ChatCommand, 'right' | 'changes'>): boolean {
  return changes;
}
