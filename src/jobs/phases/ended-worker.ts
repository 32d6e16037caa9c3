import { setTimeout as sleep } from 'node:timers/promises';
import type { OurContainer } from '../../cluster/probes/containers.ts';
import { ownContainer } from './look-around.ts';
import type { PhaseContext } from './phase.ts';

const LIMIT_MS = 5_000;
const PAUSE_MS = 500;

export interface EndedWorker {
  node: string;
  /** Undefined: it is gone. */
  own: OurContainer | undefined;
}

/**
 * The worker whose container runs no more, for when Ray says that an actor died, but not where. Docker may be on its
 * way down there and tell of it a moment later; a node that doesn't answer is no proof. Never rejects.
 */
export async function endedWorker({
  machines: [, ...workers],
  plan,
  signal,
}: PhaseContext): Promise<EndedWorker | undefined> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const ends = sleep(LIMIT_MS, undefined, { signal, ref: false }).catch(() => undefined);
  const looks = workers.map(async (machine): Promise<EndedWorker | undefined> => {
    while (!over.aborted) {
      const own = await ownContainer(machine, plan).catch(() => 'unknown' as const);
      if (own !== 'unknown' && !own?.running) return { node: machine.node.name, own };
      await sleep(PAUSE_MS, undefined, { signal: over }).catch(() => undefined);
    }
    return undefined;
  });
  const found = Promise.any(looks.map(async (look) => (await look) ?? Promise.reject(new Error('it runs'))));
  return await Promise.race([found.catch(() => undefined), ends]);
}
