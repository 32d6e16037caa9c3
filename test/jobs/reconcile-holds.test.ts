import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { idOf } from '../../src/jobs/head-outbox/outbox.ts';
import type { Hold } from '../../src/jobs/hold-rules.ts';
import { openHolds } from '../../src/jobs/hold.ts';
import { openNotices } from '../../src/jobs/notices.ts';
import { openDeployQueue, type DeployQueue } from '../../src/jobs/queue.ts';
import { reconcile, type Read } from '../../src/jobs/reconcile/reconciler.ts';
import { openTransports } from '../../src/jobs/transports.ts';
import { now, openBench, operator, silent, type Bench } from './support/bench.ts';
import { literalConfig } from './support/config.ts';
import { literalMachine, type LiteralMachine } from './support/machine.ts';

const READ = 'sh -s -- /s test read';
let bench: Bench;
let queue: DeployQueue;
let machine: LiteralMachine;
let read: Read;
let holds: ReturnType<typeof openHolds>;

beforeAll(async () => {
  bench = await openBench();
  queue = openDeployQueue({ realm: 'test', redis: bench.connect(), log: silent });
  await queue.waitUntilReady();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  await bench.store.redis.flushall();
  machine = literalMachine();
  read = { counter: 0 };
  const notices = openNotices(bench.store);
  const config = async () => literalConfig();
  holds = openHolds({ store: bench.store, journal: bench.journal, notices, config, now, log: silent });
});

function round(): Promise<void> {
  return reconcile(
    {
      store: bench.store,
      journal: bench.journal,
      queue,
      changes: bench.changes,
      config: async () => literalConfig(),
      transports: openTransports(() => machine.transport),
      everyMs: 10_000,
      now,
      log: silent,
    },
    new AbortController().signal,
    read,
  );
}

const hold = (hours: number): Hold => ({
  by: { team: 'T1', user: 'U0APPROVER' },
  name: 'Approver',
  reason: 'eval run',
  at: now().toISOString(),
  until: new Date(now().getTime() + hours * 3_600_000).toISOString(),
});
function lies(lines: Readonly<Record<string, unknown>>): void {
  const stdout = Object.entries(lines).map(
    ([name, value]) => `sparkops-${name}: ${typeof value === 'number' ? value : JSON.stringify(value)}\n`,
  );
  machine.answers[READ] = { exitCode: 0, stdout: `Welcome to spark1\n${stdout.join('')}` };
}

test('a store that lost its memory knows the hold, the freeze and the reminder again, and gives ids above the old ones', async () => {
  const [held, frozen] = [hold(2), hold(3)];
  lies({ hold: held, freeze: frozen, head: 9_000_000_000_000_000 });
  await round();
  expect(await holds.holds()).toMatchObject({ freeze: frozen, held: new Map([['spark', held]]) });
  expect(await bench.store.redis.pttl(bench.store.keys.hold('spark'))).toBeLessThanOrEqual(2 * 3_600_000);
  const due = await bench.store.redis.zrange(bench.store.keys.notices, 0, '-1');
  expect(due).toEqual(['hold-ends:spark', 'hold-ends:*']);
  await holds.unlock({ cluster: 'spark', by: operator, overrule: true });
  const [item = ''] = await bench.store.redis.lrange(bench.store.keys.outbox('spark'), 0, -1);
  expect(idOf(item)).toBe(9_000_000_000_000_001);
});

test('one that has ended, and one that is no hold, are passed over', async () => {
  lies({ hold: hold(-1), freeze: { reason: 'by hand' }, head: 5 });
  await round();
  expect(await holds.holds()).toEqual({ held: new Map(), endsAt: '18:00' });
});

test('a head that was away then is read once it is back; what was put up meanwhile stays', async () => {
  machine.away = true;
  await round();
  expect((await holds.holds()).held.size).toBe(0);
  machine.away = false;
  lies({ hold: hold(2), head: 5 });
  await round();
  expect((await holds.holds()).held.get('spark')).toMatchObject({ name: 'Approver' });

  await holds.unlock({ cluster: 'spark', by: operator, overrule: true });
  await round();
  expect((await holds.holds()).held.size).toBe(0);
});

test('the heads are asked once, not in each round', async () => {
  lies({ head: 5 });
  await round();
  await round();
  expect(machine.ran.filter((text) => text === READ)).toHaveLength(1);
});
