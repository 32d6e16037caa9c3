export type ErrorCode =
  | 'usage' // the words of a command are wrong
  | 'unknown-name' // no such recipe, cluster, deployment ...
  | 'ambiguous' // several are possible: never guess
  | 'forbidden' // no right
  | 'busy' // the cluster belongs to another deployment, or serves a model
  | 'starting' // just started: the nodes are still being read
  | 'config' // a configuration file is wrong
  | 'unreachable' // a node, Redis or Slack could not be reached: trying again may help
  | 'host-key' // a node's host key is not the expected one: trying again can't help
  | 'login' // the node refuses our user or key
  | 'command-failed' // a command ran to its end and said no
  | 'outcome-unknown' // a command was sent, and the connection went before its exit code came: look again
  | 'stale-fence' // the node has seen a newer lease: stop, touch nothing
  | 'lock-busy' // another command still runs under the node's lock
  | 'timeout' // a wait reached its limit
  | 'store-away' // Redis does not answer
  | 'conflict'; // the state changed meanwhile

export interface OperatorErrorOptions {
  /** What to type or look at next. */
  hint: string;
  cause?: unknown;
  /** Lines that prove it: output of the command, of the log. At most 15 are shown. */
  lines?: readonly string[];
  /** The node where it happened. */
  node?: string;
  /** The message in at most about 35 characters, for a lock screen. */
  short?: string;
}

/** A failure that was foreseen. People read `message` (what failed, and where) and `hint` as they stand; `code` is for code. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly code: ErrorCode;
  readonly hint: string;
  readonly lines: readonly string[];
  readonly node: string | undefined;
  readonly short: string | undefined;

  constructor(code: ErrorCode, message: string, options: OperatorErrorOptions) {
    super(message, { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.lines = options.lines ?? [];
    this.node = options.node;
    this.short = options.short;
  }
}

export interface Explanation {
  text: string;
  hint: string;
  lines: readonly string[];
  /** Set for a bug: the reference under which the log has the stack. */
  ref?: string;
}

/** What people are told of any error. A bug gets a reference instead of its stack; the caller logs the stack under it. */
export function explain(error: unknown, newRef: () => string = randomRef): Explanation {
  if (error instanceof OperatorError) return { text: error.message, hint: error.hint, lines: error.lines };
  const ref = newRef();
  return {
    text: `Something broke in the bot (ref ${ref}).`,
    hint: `Whoever runs the bot finds the details in its log under ${ref}.`,
    lines: [],
    ref,
  };
}

function randomRef(): string {
  return Math.floor(Math.random() * 0x1_0000)
    .toString(16)
    .padStart(4, '0');
}
