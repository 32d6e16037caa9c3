import type { Logger } from 'pino';
import { isForeign, type Deployment, type Plan } from '../deployment.ts';
import { restoreServing } from '../restore.ts';
import { inStore, type Store } from '../store.ts';
import type { NodeMemory } from './read-nodes.ts';

/** What lives on the nodes serves, also when the store does not know of it: it has lost its memory, or was restored from before. */
export async function rememberServing(store: Store, memories: readonly NodeMemory[], log: Logger): Promise<void> {
  for (const { cluster, node, containers } of memories) {
    for (const { engine, record: text, name } of containers) {
      if (engine !== 'alive') continue;
      const record = readRecord(text, cluster);
      if (!record) {
        log.warn(
          { cluster, node },
          `${name} serves, but its deployment.json can't be read: it blocks, and is stopped by hand`,
        );
      } else if (await restoreServing(store, record)) {
        log.warn({ cluster, node, deployment: record.number }, 'It serves, and the store did not know of it: put back');
      }
    }
  }
}

/** Numbers go on above the highest that a node has seen. Admission waits for this, so all else is put back before. */
export async function countOn(store: Store, memories: readonly NodeMemory[], log: Logger): Promise<void> {
  const known = await inStore(() => store.redis.hkeys(store.keys.numbers));
  const highest = Math.max(0, ...known.map(Number), ...memories.map((memory) => memory.highest));
  await inStore(() => store.redis.set(store.keys.counter, highest, 'NX'));
  log.info(`Numbers go on after #${highest}`);
}

/** The record as it was put on the node at its start, so some of it may be missing or be of an earlier version. */
function readRecord(text: string | undefined, cluster: string): Deployment | undefined {
  const read = text === undefined ? undefined : parsed(text);
  if (!read?.number || !read.plan?.uid || isForeign({ schema: 1, ...read })) return undefined;
  const plan: Plan = read.plan;
  return {
    revision: '',
    sparkopsVersion: '',
    createdAt: new Date().toISOString(),
    by: { team: '', user: '' },
    ...read,
    schema: 1,
    number: read.number,
    uid: plan.uid,
    plan,
    cluster,
    recipe: plan.recipe,
    run: 'deploy',
    state: 'serving',
    phases: plan.phases.map((name) => ({ name, state: 'done', attempts: 1 })),
    endpoint: plan.endpoint,
    stalls: 0,
  };
}

function parsed(text: string): Partial<Deployment> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
