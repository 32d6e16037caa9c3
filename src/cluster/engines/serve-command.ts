import type { Value } from '../../config/recipe-file.ts';

type Argv = readonly [string, ...string[]];

export interface ServeCommand {
  argv: Argv;
  /** Words that the recipe's command lacked, for people: "--port 8000". */
  added: readonly string[];
}

/** Adds what the command lacks and the engine needs: each flag with the value that it gets. */
export function complete(argv: Argv, flags: Readonly<Record<string, Value | undefined>>): ServeCommand {
  const missing = Object.entries(flags).filter(
    ([flag, value]) => value !== undefined && flagValues(argv, flag).length === 0,
  );
  return {
    argv: [...argv, ...missing.flatMap(([flag, value]) => [flag, String(value)])],
    added: missing.map(([flag, value]) => `${flag} ${String(value)}`),
  };
}

const SHORT: Partial<Record<string, string>> = {
  '-tp': '--tensor-parallel-size',
  '-pp': '--pipeline-parallel-size',
  '-dp': '--data-parallel-size',
};

/** The words that follow a flag up to the next one; vLLM takes `--a-b`, `--a_b`, `--a-b=c` and short forms alike, the last one wins. */
export function flagValues(argv: readonly string[], flag: string): readonly string[] {
  let found: readonly string[] = [];
  argv.forEach((word, at) => {
    const [name, value] = splitFlag(word);
    if (name !== flag) return;
    const rest = argv.slice(at + 1);
    const end = rest.findIndex((next) => next.startsWith('-'));
    found = value === undefined ? rest.slice(0, end < 0 ? undefined : end) : [value];
  });
  return found;
}

function splitFlag(word: string): [name: string, value?: string] {
  const [, name = word, value] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
  const long = SHORT[name] ?? (name.startsWith('--') ? name.replaceAll('_', '-') : name);
  return value === undefined ? [long] : [long, value];
}
