import type { Logger } from 'pino';
import { explain } from '../errors.ts';
import type { Deployment } from './deployment.ts';
import type { EventBody } from './events.ts';
import { logDropped, PUT_IN_OUTBOX } from './head-outbox/outbox.ts';
import type { AuditEntry, HistoryRequest } from './jobs.ts';
import { inStore, script, type Store } from './store.ts';

/** As it stands in the stream and in the head's file. `at` is ISO 8601 UTC. */
export type AuditLine = AuditEntry & { at: string };

export interface Audit {
  /** Goes on by itself, and never rejects. */
  write: (entry: AuditEntry) => void;
  /** The end of a run or what was decided about a request, told once by whoever wrote it. */
  recordChanged: (record: Deployment, event: EventBody | undefined) => void;
  /** Resolves when all that was written so far is in the store, or could not be. */
  settled: () => Promise<void>;
}

export interface AuditParts {
  store: Store;
  now: () => Date;
  log: Logger;
}

const SPARKOPS = { team: '', user: 'sparkops', name: 'sparkops' };
const AT_ONCE = 500;
/** Of one answer; older ones are read with `sparkops audit`. */
const MOST_READ = 50_000;

/** Who did what, where, and what came of it: a stream that is only added to, and trimmed by age. */
export function openAudit({ store, now, log }: AuditParts): Audit {
  const writing = new Set<Promise<void>>();

  function write(entry: AuditEntry): void {
    const { who, ...rest } = entry;
    const told = { ...rest, by: who.user, team: who.team, name: who.name };
    log.info({ audit: told }, `${who.name}: ${entry.what}: ${entry.result ?? entry.decision}`);
    const work = append(store, { ...entry, at: now().toISOString() }, log)
      .catch((error: unknown) => {
        log.warn({ audit: told, why: explain(error).text }, 'The audit stands only here: the store did not take it');
      })
      .finally(() => writing.delete(work));
    writing.add(work);
  }

  return {
    write,
    recordChanged: (record, event) => {
      const { recipe, run, cluster, number, uid, cause } = record;
      const decided = decidedBy(record, event);
      if (decided) write({ ...decided, cluster, number, uid });
      if (event?.kind !== 'ended') return;
      write({
        who: SPARKOPS,
        what: `${run} of ${recipe}`,
        cluster,
        number,
        uid,
        decision: 'ended',
        result: event.state,
        ...(cause !== undefined && event.state !== 'serving' && { why: cause.text }),
      });
    },
    settled: async () => {
      await Promise.all(writing);
    },
  };
}

/** A "no" ends a run in the same step, so its end is told and not its decision. */
function decidedBy(
  { approval, number, endedAt }: Deployment,
  event: EventBody | undefined,
): Pick<AuditEntry, 'who' | 'what' | 'decision' | 'why'> | undefined {
  const decision = event?.kind === 'approval-decided' || event?.kind === 'ended' ? approval?.decision : undefined;
  if (!approval || !decision) return undefined;
  // One that was decided before the run ended has been told.
  if (event?.kind === 'ended' && decision.at !== endedAt) return undefined;
  const by = !('by' in decision) || decision.by === undefined ? [] : [decision.by].flat();
  const why =
    'glass' in decision && decision.glass
      ? `alone: ${decision.glass.reason}`
      : 'why' in decision
        ? decision.why
        : undefined;
  const [first] = by;
  return {
    who: first ? { ...first, name: by.map(({ user }) => user).join(', ') } : SPARKOPS,
    what: `approval of ${approval.action}, #${number}`,
    decision: decision.kind,
    ...(why !== undefined && { why }),
  };
}

/** Forgets what is older. */
export async function pruneAudit({ redis, keys }: Store, keepMs: number, now: Date): Promise<void> {
  await inStore(() => redis.xtrim(keys.audit, 'MINID', '~', now.getTime() - keepMs));
}

/** All of it, oldest first. `since` is ISO 8601 UTC. */
export async function* readAudit(store: Store, { since, ...wanted }: AuditFilter): AsyncGenerator<AuditLine> {
  let from = since === undefined ? '-' : String(Date.parse(since));
  for (;;) {
    const entries = await inStore(() => store.redis.xrange(store.keys.audit, from, '+', 'COUNT', AT_ONCE));
    for (const [, fields] of entries) {
      const line = lineIn(fields);
      if (line && fits(line, wanted)) yield line;
    }
    const last = entries.at(-1)?.[0];
    if (last === undefined || entries.length < AT_ONCE) return;
    from = `(${last}`;
  }
}

/** Holds, approvals, refused changes and whatever else has no line of its own among the deployments; newest first. */
export async function readDecisions(
  store: Store,
  { since, limit, cluster, by }: HistoryRequest,
): Promise<readonly AuditLine[]> {
  const found: AuditLine[] = [];
  const until = since === undefined ? '-' : String(Date.parse(since));
  let from = '+';
  for (let read = 0; read < MOST_READ && found.length < limit; read += AT_ONCE) {
    const entries = await inStore(() => store.redis.xrevrange(store.keys.audit, from, until, 'COUNT', AT_ONCE));
    const lines = entries.flatMap(([, fields]) => lineIn(fields) ?? []);
    found.push(...lines.filter((line) => standsAlone(line) && fits(line, { cluster, by })));
    const last = entries.at(-1)?.[0];
    if (last === undefined || entries.length < AT_ONCE) break;
    from = `(${last}`;
  }
  return found.slice(0, limit);
}

interface AuditFilter {
  since?: string | undefined;
  cluster?: string | undefined;
  /** User id. */
  by?: string | undefined;
}

/** A deployment's own line tells that it was asked for and how it ended. */
function standsAlone({ decision, change, uid }: AuditLine): boolean {
  if (decision === 'answered' || decision === 'ended') return false;
  return decision === 'accepted' ? uid === undefined : change !== false;
}

function fits({ cluster, who }: AuditLine, wanted: AuditFilter): boolean {
  return (
    (wanted.cluster === undefined || cluster === wanted.cluster) && (wanted.by === undefined || who.user === wanted.by)
  );
}

function lineIn(fields: readonly string[]): AuditLine | undefined {
  const [, text] = fields;
  if (text === undefined) return undefined;
  const line: AuditLine = JSON.parse(text);
  return line;
}

async function append(store: Store, line: AuditLine, log: Logger): Promise<void> {
  const { keys } = store;
  const { cluster } = line;
  const outbox = cluster === undefined ? [] : [keys.outboxId, keys.outbox(cluster)];
  const [, dropped] = await writeLine(
    store,
    [keys.audit, ...outbox],
    [JSON.stringify(line), keys.outboxFilled, cluster ?? ''],
  );
  if (cluster !== undefined) logDropped(log, cluster, dropped);
}

const writeLine = script(`${PUT_IN_OUTBOX}
local audit, outboxId, outbox = unpack(KEYS)
local text, channel, cluster = unpack(ARGV)
redis.call('XADD', audit, '*', 'line', text)
if not outbox then return {'ok', 0} end
local dropped = put(outbox, outboxId, 'audit', text)
redis.call('PUBLISH', channel, cluster)
return {'ok', dropped}
`);
