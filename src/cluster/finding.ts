/** Why something can't go on, for people: one sentence, the node, the lines that prove it, what to do. */
export interface Finding {
  text: string;
  /** The same in at most about 35 characters, for a lock screen: "spark2 lacks the image". */
  short?: string;
  node?: string;
  lines: readonly string[];
  remedy: string;
}

/** One row of a table of checks. */
export interface CheckRow {
  node: string;
  check: string;
  state: 'ok' | 'warning' | 'failed';
  text: string;
  /** Of one that failed: node and fault, as in a finding. */
  short?: string;
  remedy?: string;
  lines?: readonly string[];
}

/** How far an engine's start is. */
export interface Progress {
  /** A word of people's: starting, weights, compile, graphs, ... */
  stage: string;
  /** 0 to 100, of the stage. */
  percent?: number;
  done?: number;
  total?: number;
  secondsLeft?: number;
}
