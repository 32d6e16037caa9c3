import { OperatorError } from '../errors.ts';
import { hasServed, isForeign, type Deployment } from './deployment.ts';
import { foreign, numbered, type Entry, type Journal } from './journal.ts';
import { starting } from './refusal.ts';
import { inStore, type Store } from './store.ts';

/** Of which deployment something is wanted again. */
export type AgainOf =
  | { outcome: 'found'; number: number }
  | { outcome: 'found'; cluster: string; number?: never }
  | { outcome: 'no-counter' };

interface EarlierParts {
  store: Store;
  journal: Journal;
}

/** What serves, else what served last and died or was stopped. */
export async function toRestart(parts: EarlierParts, of: AgainOf): Promise<Entry> {
  const entry = await entryOf(
    parts,
    of,
    async (cluster) => (await serving(parts, cluster)) ?? lastServed(parts, cluster),
  );
  return servedOnce(entry, 'restart');
}

/** What served last before what serves now. */
export async function toRollBackTo(parts: EarlierParts, of: AgainOf): Promise<Entry> {
  const entry = await entryOf(parts, of, (cluster) => lastServed(parts, cluster));
  return servedOnce(entry, 'bring back');
}

async function entryOf(
  { journal }: EarlierParts,
  of: AgainOf,
  find: (cluster: string) => Promise<Entry | undefined>,
): Promise<Entry> {
  if (of.outcome === 'no-counter') throw starting();
  const entry =
    of.number === undefined
      ? await findOn(of.cluster, find)
      : await numbered(journal, of.number, 'history shows them.');
  if (isForeign(entry.record)) throw foreign(entry.record);
  return entry;
}

async function findOn(cluster: string, find: (cluster: string) => Promise<Entry | undefined>): Promise<Entry> {
  const entry = await find(cluster);
  if (entry) return entry;
  throw new OperatorError('unknown-name', `Nothing has served on ${cluster} before.`, {
    hint: `history ${cluster} shows what was tried.`,
  });
}

function servedOnce(entry: Entry, verb: string): Entry {
  const { number, state, run } = entry.record;
  if (hasServed(state) && run !== 'stop-foreign') return entry;
  throw new OperatorError('conflict', `#${number} is ${state} and never served, so there is nothing to ${verb}.`, {
    hint: 'history shows what served.',
  });
}

async function serving({ store, journal }: EarlierParts, cluster: string): Promise<Entry | undefined> {
  const [uid] = await inStore(() => store.redis.zrange(store.keys.serving(cluster), 0, '0'));
  return uid === undefined ? undefined : journal.find(uid);
}

async function lastServed({ store, journal }: EarlierParts, cluster: string): Promise<Entry | undefined> {
  for (const uid of await inStore(() => store.redis.zrevrange(store.keys.ended, 0, '-1'))) {
    const entry = await journal.find(uid);
    if (entry && isOf(entry.record, cluster)) return entry;
  }
  return undefined;
}

function isOf({ cluster, run, state }: Deployment, wanted: string): boolean {
  return cluster === wanted && run !== 'stop-foreign' && hasServed(state);
}
