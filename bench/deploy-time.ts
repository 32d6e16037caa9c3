/** One deploy, in milliseconds. */
export interface DeployTime {
  /** With the engine's own. */
  all: number;
  /** From the start of the engine's process until it listened. */
  engine: number;
  steps: readonly { name: string; ms: number }[];
}

/** What the lab's engine says of itself when it listens. */
export function engineMs(log: string): number {
  const [, seconds] = /Listening ([\d.]+) seconds after the start/.exec(log) ?? [];
  if (seconds === undefined) throw new Error(`The engine did not say when it listened:\n${log.slice(-500)}`);
  return Number(seconds) * 1_000;
}
