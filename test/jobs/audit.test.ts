import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openAudit, pruneAudit, readAudit, readDecisions, type Audit, type AuditLine } from '../../src/jobs/audit.ts';
import type { Deployment } from '../../src/jobs/deployment.ts';
import type { AuditEntry } from '../../src/jobs/jobs.ts';
import { testRedis } from '../support/redis.ts';
import { request } from './approval/people.ts';
import { now, openBench, operator, silent, type Bench } from './support/bench.ts';

const other = { team: 'T1', user: 'U0APPROVER', name: 'Approver' };
let bench: Bench;
let audit: Audit;

beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  await bench.store.redis.flushall();
  audit = openAudit({ store: bench.store, now, log: silent });
});

const entry = (what: string, change: Partial<AuditEntry> = {}): AuditEntry => ({
  who: operator,
  what,
  decision: 'accepted',
  change: true,
  ...change,
});

async function admitted(): Promise<Deployment> {
  await bench.store.redis.set(bench.store.keys.counter, 141);
  const answer = await bench.admit('aaaaaaaaaa');
  if (answer.outcome !== 'admitted') throw new Error('not admitted');
  return answer.record;
}

async function all(filter: Parameters<typeof readAudit>[1] = {}): Promise<AuditLine[]> {
  await audit.settled();
  const lines: AuditLine[] = [];
  for await (const line of readAudit(bench.store, filter)) lines.push(line);
  return lines;
}

test('every entry stands in the stream, in order, and with a cluster also in the outbox of its head', async () => {
  audit.write(entry('hold spark', { cluster: 'spark' }));
  audit.write(entry('freeze', { who: other, surface: 'cli' }));
  audit.write(entry('status', { decision: 'answered', change: false }));
  const lines = await all();
  expect(lines).toMatchObject([{ what: 'hold spark' }, { what: 'freeze', surface: 'cli' }, { what: 'status' }]);
  expect(lines[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT/);
  const outbox = await bench.store.redis.lrange(bench.store.keys.outbox('spark'), 0, -1);
  expect(outbox.map((item) => JSON.parse(item.replace(/^\d+ audit /, '')))).toEqual(lines.slice(0, 1));
});

test('is read by cluster, person and age, however much there is', async () => {
  for (let at = 0; at < 1_201; at++) {
    audit.write(entry(`${at}`, { who: at % 2 ? operator : other, ...(at % 3 === 0 && { cluster: 'spark' }) }));
  }
  expect(await all()).toHaveLength(1_201);
  expect(await all({ by: other.user })).toHaveLength(601);
  expect((await all({ cluster: 'spark' })).map(({ what }) => Number(what) % 3).every((rest) => rest === 0)).toBe(true);
  expect(await all({ since: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
});

test('the end of a run is told once, with its result; nothing else of a record is', async () => {
  const record = await admitted();
  audit.recordChanged(record, { kind: 'progress' });
  audit.recordChanged(record, undefined);
  const cause = { text: 'spark2 lacks the image', lines: [] };
  audit.recordChanged({ ...record, state: 'failed', cause }, { kind: 'ended', state: 'failed', cause });
  expect(await all()).toMatchObject([
    {
      who: { name: 'sparkops' },
      what: 'deploy of qwen35',
      number: 142,
      uid: 'aaaaaaaaaa',
      cluster: 'spark',
      decision: 'ended',
      result: 'failed',
      why: 'spark2 lacks the image',
    },
  ]);
});

test('what was decided about a request is told once: by itself, or with the end that it was', async () => {
  const record = await admitted();
  const at = '2026-12-01T10:00:00.000Z';
  const decision = {
    kind: 'approved' as const,
    at,
    by: [other],
    when: 'now' as const,
    glass: { reason: 'prod is down' },
  };
  audit.recordChanged({ ...record, approval: request({ decision }) }, { kind: 'approval-decided', id: 1, decision });
  audit.recordChanged(
    { ...record, approval: request({ decision }), endedAt: now().toISOString() },
    { kind: 'ended', state: 'serving' },
  );
  const expired = { kind: 'expired' as const, at };
  audit.recordChanged(
    { ...record, approval: request({ decision: expired }), endedAt: at },
    { kind: 'ended', state: 'expired' },
  );
  await audit.settled();
  expect((await all()).map(({ who, what, decision: told, why }) => [who.user, what, told, why])).toEqual([
    [other.user, 'approval of deploy, #142', 'approved', 'alone: prod is down'],
    ['sparkops', 'deploy of qwen35', 'ended', undefined],
    ['sparkops', 'approval of deploy, #142', 'expired', undefined],
    ['sparkops', 'deploy of qwen35', 'ended', undefined],
  ]);
});

test('is forgotten by age', async () => {
  const { redis, keys } = bench.store;
  const day = 86_400_000;
  const line = JSON.stringify({ ...entry('old'), at: now().toISOString() });
  // Streams are trimmed in nodes of 100 entries.
  for (let at = 0; at < 150; at++) await redis.xadd(keys.audit, `${Date.now() - 3 * day}-${at}`, 'line', line);
  audit.write(entry('new'));
  await audit.settled();
  await pruneAudit(bench.store, 30 * day, now());
  expect(await all()).toHaveLength(151);
  await pruneAudit(bench.store, day, now());
  const left = await all();
  expect(left.length).toBeLessThanOrEqual(51);
  expect(left.at(-1)?.what).toBe('new');
});

describe('decisions', () => {
  test('are those that have no deployment of their own, newest first', async () => {
    audit.write(entry('deploy qwen35', { uid: 'a', number: 1, cluster: 'spark' }));
    audit.write(entry('hold spark', { cluster: 'spark' }));
    audit.write(entry('status', { decision: 'answered', change: false }));
    audit.write(entry('logs nosuch', { decision: 'refused', change: false }));
    audit.write(entry('stop spark', { decision: 'refused', cluster: 'spark', why: 'held' }));
    audit.write(
      entry('approval of stop, #1', { who: other, decision: 'approved', uid: 'a', number: 1, cluster: 'spark' }),
    );
    audit.write(entry('deploy of qwen35', { decision: 'ended', result: 'serving', uid: 'a', cluster: 'spark' }));
    audit.write(entry('freeze', { who: other }));
    await audit.settled();
    const whats = async (change: Partial<Parameters<typeof readDecisions>[1]> = {}) =>
      (await readDecisions(bench.store, { limit: 10, ...change })).map(({ what }) => what);
    expect(await whats()).toEqual(['freeze', 'approval of stop, #1', 'stop spark', 'hold spark']);
    expect(await whats({ cluster: 'spark', by: operator.user })).toEqual(['stop spark', 'hold spark']);
    expect(await whats({ limit: 1 })).toEqual(['freeze']);
    expect(await whats({ since: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
  });
});

test('a store that is away costs the stream a line, and nobody anything else', async () => {
  const redis = await testRedis();
  const own = await openBench(redis);
  const away = openAudit({ store: own.store, now, log: silent });
  await redis.kill();
  away.write(entry('hold spark', { cluster: 'spark' }));
  await away.settled();
  await redis.startAgain();
  await expect.poll(() => own.store.redis.ping().catch(() => ''), { timeout: 10_000 }).toBe('PONG');
  away.write(entry('unlock spark', { cluster: 'spark' }));
  await away.settled();
  const lines: string[] = [];
  for await (const { what } of readAudit(own.store, {})) lines.push(what);
  expect(lines).toEqual(['unlock spark']);
  await own.stop();
});
