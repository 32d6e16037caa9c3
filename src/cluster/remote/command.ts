export type Word = string | number;

/** One program with its arguments: the only kind that can run under a node's guard. */
export interface Exec {
  kind: 'exec';
  words: readonly [Word, ...Word[]];
}

/** What to run on a node, as data. Only shell.ts turns it into text. */
export type Command =
  | Exec
  | { kind: 'join'; by: '&&' | '||' | '|' | ';'; commands: readonly Command[] }
  | { kind: 'redirect'; command: Command; by: '>' | '>>'; path: string };

export function run(program: string, ...args: Word[]): Exec {
  return { kind: 'exec', words: [program, ...args] };
}

export function and(...commands: Command[]): Command {
  return { kind: 'join', by: '&&', commands };
}
