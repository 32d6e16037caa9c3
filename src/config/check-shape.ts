import { z } from 'zod';
import type { Problem } from './config.ts';
import { listed, nearest } from './nearest.ts';
import { isRecord, repair, valueAt } from './repair.ts';
import type { Path, YamlFile } from './yaml-file.ts';

export interface Checked<T> {
  problems: readonly Problem[];
  /** With problems: what is left of it, for the checks that follow. Undefined when too little is left. */
  value: T | undefined;
  /** The file in which the checks that follow find their lines. */
  yaml: YamlFile;
}

/** Checks a file against a schema, all problems at once. Custom messages of a schema begin with "must". */
export function checkShape<S extends z.ZodType>(schema: S, yaml: YamlFile): Checked<z.output<S>> {
  if (yaml.problems.length > 0) return { problems: yaml.problems, value: undefined, yaml };
  const parsed = schema.safeParse(yaml.value);
  if (parsed.success) return { problems: [], value: parsed.data, yaml };
  const { issues } = parsed.error;
  const repaired = repair(yaml, issues, (path) => knownKeys(schema, path));
  return {
    problems: issues.flatMap((issue) => toProblems(issue, schema, yaml)),
    value: schema.safeParse(repaired.value).data,
    yaml: repaired,
  };
}

/** A value in a message: short, and of one line. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isRecord(value)) return 'a map';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function toProblems(issue: z.core.$ZodIssue, schema: z.ZodType, yaml: YamlFile): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, issue.path);
    return issue.keys.map((key) => unknownKey(yaml, [...issue.path, key], known));
  }
  const value = valueAt(yaml.value, issue.path);
  const name = pathText(issue.path) || 'The file';
  const problem = { file: yaml.file, ...lineAt(yaml, issue.path) };
  if (value === undefined)
    return [{ ...problem, wrong: `${name} is missing`, right: `Add it; it must be ${asked(issue)}` }];
  if (issue.code === 'invalid_type' && issue.expected === 'number' && typeof value === 'string' && isNumber(value)) {
    return [{ ...problem, wrong: `${name} is the text ${shown(value)}`, right: `Write ${value} without quotes` }];
  }
  const meant =
    issue.code === 'invalid_value' && typeof value === 'string' ? nearest(value, issue.values.map(String)) : undefined;
  const right = `It must be ${asked(issue)}`;
  const wrong = issue.code === 'too_small' && Array.isArray(value) ? `${name} is empty` : `${name} is ${shown(value)}`;
  return [{ ...problem, wrong, right: meant === undefined ? right : `Did you mean ${meant}? ${right}` }];
}

/** A key that the file's format doesn't have, with the nearest that it has. */
function unknownKey(yaml: YamlFile, path: Path, known: readonly string[]): Problem {
  const key = String(path.at(-1));
  const meant = nearest(key, known);
  const inside = path.length > 1 ? ` in ${pathText(path.slice(0, -1))}` : '';
  return {
    file: yaml.file,
    ...lineAt(yaml, path),
    wrong: `There is no key ${shown(key)}${inside}`,
    right: meant === undefined ? `Known keys: ${listed([...known].toSorted(), { max: 40 })}` : `Did you mean ${meant}?`,
  };
}

function lineAt(yaml: YamlFile, path: Path): { line?: number } {
  const line = yaml.lineOf(path);
  return line === undefined ? {} : { line };
}

function asked(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return listed(issue.values.map(String), { word: 'or', max: 40 });
    case 'too_small':
      if (issue.origin === 'array') return `a list of at least ${issue.minimum}`;
      return `${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return `${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return issue.message.replace(/^must be /, '');
  }
}

const TYPES: Partial<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of keys',
  record: 'a map of keys',
};

/** `nodes[1].fabric.address` */
function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? String(step) : `${text}.${String(step)}`;
  }, '');
}

function knownKeys(schema: unknown, path: Path): string[] {
  const [step, ...rest] = path;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return knownKeys(schema.unwrap(), path);
  }
  if (schema instanceof z.ZodArray) return knownKeys(schema.element, rest);
  if (schema instanceof z.ZodRecord) return step === undefined ? [] : knownKeys(schema.valueType, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  return step === undefined ? Object.keys(schema.shape) : knownKeys(schema.shape[String(step)], rest);
}

function isNumber(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text);
}
