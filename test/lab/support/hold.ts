import { fault, onHost, type Host } from './lab.ts';

export interface Hold {
  /** Resolves when the command stands there; rejects after 120 s. */
  reached: Promise<void>;
  /** Lets it start, also when its connection has gone. */
  release: () => Promise<void>;
}

/** The next docker command on `host` with `text` in it waits before it starts, so that a test can act at that moment. */
export async function hold(host: Host, text: string): Promise<Hold> {
  await fault('hold', host, text);
  const reached = onHost(host, 'timeout 120 cat /run/lab-hold/reached').then(() => undefined);
  // A test may fail before it looks.
  reached.catch(() => undefined);
  return { reached, release: () => fault('release', host) };
}
