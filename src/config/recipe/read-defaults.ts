import { shown } from '../check-shape.ts';
import { holdsSecret } from '../looks-secret.ts';
import type { Value } from '../recipe-file.ts';
import { isRecord } from '../repair.ts';
import type { YamlFile } from '../yaml-file.ts';
import { NUMBERS } from './known-defaults.ts';
import { circular } from './placeholders.ts';
import type { Say } from './say.ts';

/** The values that fill the command, and which of them were written with a decimal point. */
export function readDefaults(
  yaml: YamlFile,
  raw: unknown,
  say: Say,
): { defaults: Record<string, Value>; decimals: string[] } {
  const defaults: Record<string, Value> = {};
  const decimals: string[] = [];
  if (!isRecord(raw)) {
    if (raw !== undefined && raw !== null)
      say(['defaults'], `defaults is ${shown(raw)}`, 'Write one key: value per line below defaults');
    return { defaults, decimals };
  }
  for (const [key, value] of Object.entries(raw)) {
    const path = ['defaults', key];
    const problem = wrongDefault(key, value);
    if (problem) say(path, problem.wrong, problem.right);
    if (typeof value === 'number' && /[.eE]/.test(yaml.written(path) ?? '')) decimals.push(key);
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') defaults[key] = value;
  }
  const loop = circular(defaults);
  if (loop !== undefined) say(['defaults', loop], `${loop} holds itself`, 'Write the value out');
  return { defaults, decimals };
}

function wrongDefault(key: string, value: unknown): { wrong: string; right: string } | undefined {
  if (!/^[A-Za-z_]\w*$/.test(key)) {
    return {
      wrong: `${shown(key)} can't be a placeholder`,
      right: 'Use letters, digits and _, and begin with a letter',
    };
  }
  if (value === null) return { wrong: `${key} has no value`, right: 'Give it one, or remove the key' };
  if (typeof value === 'object') {
    return {
      wrong: `${key} is ${shown(value)}`,
      right: `Write it as JSON text: ${key}: '${JSON.stringify(value).slice(0, 60)}'`,
    };
  }
  if (typeof value === 'string' && value.includes('\0'))
    return { wrong: `${key} holds a NUL character`, right: 'Remove it' };
  if (typeof value === 'string' && holdsSecret(value)) {
    return {
      wrong: `${key} holds what looks like a token`,
      right: 'Name it in env as secret:NAME: an argument can be seen by everyone on the node',
    };
  }
  return typeof value === 'number' ? outOfLimits(key, value) : undefined;
}

/** What is wrong with a well-known number. */
export function outOfLimits(key: string, value: number): { wrong: string; right: string } | undefined {
  const limits = NUMBERS[key];
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    return { wrong: `${key} is ${value}`, right: 'Write a number of at most 15 digits' };
  }
  if (!limits) return undefined;
  if (limits.whole && !Number.isInteger(value))
    return { wrong: `${key} is ${value}`, right: 'It must be a whole number' };
  if (value < limits.min || value > limits.max) {
    return { wrong: `${key} is ${value}`, right: `It must be ${limits.min} to ${limits.max}` };
  }
  return undefined;
}
