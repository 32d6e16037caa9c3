import type { Machine } from './machine.ts';

const LOOK_MS = 1_000;

/** Ends this process when the one that holds the machines is gone: nobody else would, once that was killed. */
export function endWithOwner({ owner }: Pick<Machine, 'owner'>): void {
  if (owner === undefined) return;
  setInterval(() => {
    if (!lives(owner)) process.exit(137);
  }, LOOK_MS).unref();
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
