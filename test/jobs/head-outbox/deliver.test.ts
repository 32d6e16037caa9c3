import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Transport } from '../../../src/cluster/remote/transport.ts';
import { OperatorError } from '../../../src/errors.ts';
import { openAudit } from '../../../src/jobs/audit.ts';
import { startHeadOutbox } from '../../../src/jobs/head-outbox/deliver.ts';
import { goOnAbove, idOf } from '../../../src/jobs/head-outbox/outbox.ts';
import { openTransports } from '../../../src/jobs/transports.ts';
import { localShell } from '../../support/local-shell.ts';
import { eventually } from '../../support/place.ts';
import { now, openBench, operator, silent, type Bench } from '../support/bench.ts';
import { literalConfig } from '../support/config.ts';

let bench: Bench;
let state: string;
let away: boolean;
const running: { stop: () => Promise<void> }[] = [];

beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  await bench.store.redis.flushall();
  state = await mkdtemp(join(tmpdir(), 'sparkops-head-'));
  away = false;
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
  await rm(state, { recursive: true });
});

function start(everyMs = 60_000): void {
  const shell = localShell();
  const transport: Transport = {
    ...shell,
    exec: async (...words) => {
      if (away) throw new OperatorError('unreachable', 'spark1: no route', { hint: '' });
      return shell.exec(...words);
    },
  };
  const config = literalConfig();
  for (const cluster of config.clusters.values()) cluster.paths.state = state;
  config.sparkops.timeouts.read = 10_000;
  running.push(
    startHeadOutbox({
      store: bench.store,
      changes: bench.changes,
      config: async () => config,
      transports: openTransports(() => transport),
      everyMs,
      log: silent,
    }),
  );
}

const log = async () => (await readFile(join(state, 'audit-test.log'), 'utf8').catch(() => '')).trim().split('\n');
const waiting = () => bench.store.redis.lrange(bench.store.keys.outbox('spark'), 0, -1);
const write = (what: string) =>
  openAudit({ store: bench.store, now, log: silent }).write({
    who: operator,
    what,
    cluster: 'spark',
    decision: 'accepted',
  });

test('what is put into the outbox is on the head at once, and in it no longer', async () => {
  start();
  write('stop spark');
  await eventually('it is on the head', 5_000, async () => (await log())[0] !== '');
  expect(JSON.parse((await log())[0] ?? '')).toMatchObject({ what: 'stop spark', who: { user: operator.user } });
  await eventually('the outbox is empty', 5_000, async () => (await waiting()).length === 0);
});

test('two workers write every line once', async () => {
  start();
  start();
  const all = Array.from({ length: 60 }, (_, at) => `line ${at}`);
  for (const what of all) write(what);
  await eventually('all are on the head', 20_000, async () => (await log()).length >= all.length);
  await eventually('the outbox is empty', 5_000, async () => (await waiting()).length === 0);
  expect(new Set((await log()).map((text) => JSON.parse(text).what))).toEqual(new Set(all));
  expect(await log()).toHaveLength(all.length);
});

test('a head that is away gets it when it is back', async () => {
  away = true;
  start(50);
  write('stop spark');
  await eventually('it waits', 5_000, async () => (await waiting()).length === 1);
  away = false;
  await eventually('it is on the head', 5_000, async () => (await log())[0] !== '');
  expect(await log()).toEqual([expect.stringContaining('"what":"stop spark"')]);
});

test('of 1,000 that wait the oldest lines of the audit go first, never a hold', async () => {
  const audit = openAudit({ store: bench.store, now, log: silent });
  await bench.store.redis.rpush(bench.store.keys.outbox('spark'), '1 hold {}');
  for (let at = 0; at < 1_003; at++)
    audit.write({ who: operator, what: `${at}`, cluster: 'spark', decision: 'accepted' });
  await audit.settled();
  const items = await waiting();
  expect(items).toHaveLength(1_000);
  expect(items[0]).toBe('1 hold {}');
  expect(items[1]).toContain('"what":"4"');
  expect(items.at(-1)).toContain('"what":"1002"');
  expect(items.slice(1).map(idOf)).toEqual(
    items
      .slice(1)
      .map(idOf)
      .toSorted((a, b) => a - b),
  );
});

test('ids go on above what a head has seen', async () => {
  await goOnAbove(bench.store, 9_000_000_000_000_000);
  const audit = openAudit({ store: bench.store, now, log: silent });
  audit.write({ who: operator, what: 'x', cluster: 'spark', decision: 'accepted' });
  await audit.settled();
  expect((await waiting()).map(idOf)).toEqual([9_000_000_000_000_001]);
});
