import { fault, onHost, type Host } from './lab.ts';

export interface Hold {
  /** Resolves when the command stands there; rejects after 120 s. */
  reached: Promise<void>;
  /** Lets it start, also when its connection has gone. */
  release: () => Promise<void>;
}

interface HoldOptions {
  /** What is held: flock stands in front of each command of a node's lock, docker and mv behind it. */
  program?: 'docker' | 'flock' | 'mv';
  /** Of its own for each that is held at the same time. */
  name?: string;
}

/** The next command of a program on `host` with `text` in it waits before it starts, so that a test can act at that moment. */
export async function hold(
  host: Host,
  text: string,
  { program = 'docker', name = 'one' }: HoldOptions = {},
): Promise<Hold> {
  await fault('hold', host, text, program, name);
  const reached = onHost(host, `timeout 120 cat /run/lab-hold/${name}/reached`).then(() => undefined);
  // A test may fail before it looks.
  reached.catch(() => undefined);
  return { reached, release: () => fault('release', host, name) };
}
