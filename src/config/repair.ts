import type { z } from 'zod';
import { nearest } from './nearest.ts';
import type { Path, YamlFile } from './yaml-file.ts';

/**
 * The file as it was probably meant, so that the rest of it can be checked too: misspelt keys and words get
 * their right names (and keep their lines), other wrong values are left out and noted as doubtful.
 */
export function repair(
  yaml: YamlFile,
  issues: readonly z.core.$ZodIssue[],
  knownKeys: (path: Path) => string[],
): YamlFile {
  const value = structuredClone(yaml.value);
  const doubtful: Path[] = [...yaml.doubtful];
  const written: { meant: Path; key: string }[] = [];
  for (const issue of issues) {
    const word = issue.code === 'invalid_value' ? nearestWord(value, issue) : undefined;
    if (word !== undefined) {
      const parent = valueAt(value, issue.path.slice(0, -1));
      if (isRecord(parent)) parent[String(issue.path.at(-1))] = word;
      continue;
    }
    if (issue.code !== 'unrecognized_keys') {
      doubtful.push(leaveOut(value, issue.path));
      continue;
    }
    const inside = valueAt(value, issue.path);
    if (!isRecord(inside)) continue;
    for (const key of issue.keys) {
      const meant = nearest(key, knownKeys(issue.path));
      if (meant !== undefined && !Object.hasOwn(inside, meant)) {
        inside[meant] = inside[key];
        written.push({ meant: [...issue.path, meant], key });
      }
      delete inside[key];
    }
  }
  const asWritten = (path: Path) => written.reduce((known, { meant, key }) => rename(known, meant, key), path);
  return {
    ...yaml,
    value,
    doubtful,
    lineOf: (path) => yaml.lineOf(asWritten(path)),
    lineInText: (path, n) => yaml.lineInText(asWritten(path), n),
    written: (path) => yaml.written(asWritten(path)),
  };
}

/** The value at a path. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inside, step) => {
    if (Array.isArray(inside) && typeof step === 'number') return inside[step];
    return isRecord(inside) && Object.hasOwn(inside, step) ? inside[String(step)] : undefined;
  }, value);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function startsWith(path: Path, start: Path): boolean {
  return start.every((step, index) => path[index] === step);
}

function nearestWord(value: unknown, { path, values }: z.core.$ZodIssueInvalidValue): string | undefined {
  const word = valueAt(value, path);
  return typeof word === 'string' ? nearest(word, values.map(String)) : undefined;
}

/** Takes the key at the path out; of a list all, since the lines of the others would shift. Says what it took. */
function leaveOut(value: unknown, path: Path): Path {
  const inList = path.findIndex((step, index) => typeof step === 'number' && index === path.length - 1);
  const key = inList === -1 ? path : path.slice(0, inList);
  const inside = valueAt(value, key.slice(0, -1));
  if (isRecord(inside)) delete inside[String(key.at(-1))];
  return key;
}

function rename(path: Path, meant: Path, key: string): Path {
  return startsWith(path, meant) ? [...meant.slice(0, -1), key, ...path.slice(meant.length)] : path;
}
