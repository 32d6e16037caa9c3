import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openHolds } from '../../src/jobs/hold.ts';
import type { HoldRequest } from '../../src/jobs/hold-rules.ts';
import { openNotices, type Notice } from '../../src/jobs/notices.ts';
import { openBench, operator, silent, type Bench } from './support/bench.ts';
import { literalConfig } from './support/config.ts';

const other = { team: 'T1', user: 'U0APPROVER', name: 'Approver' };
const HOUR = 3_600_000;
let bench: Bench;
let holds: ReturnType<typeof openHolds>;
/** As a process sees the time; the store has its own clock. */
let at: Date;

beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  await bench.store.redis.flushall();
  await bench.store.redis.set(bench.store.keys.counter, 141);
  at = new Date();
  holds = openHolds({
    store: bench.store,
    journal: bench.journal,
    notices: openNotices(bench.store),
    config: async () => literalConfig(),
    now: () => at,
    log: silent,
  });
});

const inHours = (hours: number) => new Date(at.getTime() + hours * HOUR).toISOString();
const ask = (change: Partial<HoldRequest> = {}): HoldRequest => ({
  cluster: 'spark',
  by: operator,
  reason: 'eval run',
  byDefault: inHours(5),
  channel: 'C0OPS000001',
  ...change,
});

/** Without a reason. */
function again(change: Partial<HoldRequest> = {}): HoldRequest {
  const { reason: _, ...rest } = ask(change);
  return rest;
}

async function waiting(): Promise<Notice[]> {
  const texts = await bench.store.redis.hvals(bench.store.keys.noticeTexts);
  return texts.map((text) => JSON.parse(text) as Notice);
}
const outbox = async () =>
  (await bench.store.redis.lrange(bench.store.keys.outbox('spark'), 0, -1)).map((item) => item.replace(/^\d+ /, ''));

describe('a hold', () => {
  test('stands until its end, and on its way to the head', async () => {
    const { cluster, hold } = await holds.hold(ask({ until: inHours(2) }));
    expect(cluster).toBe('spark');
    expect(hold).toEqual({
      by: { team: 'T1', user: 'U0OPERATOR' },
      name: 'Operator',
      reason: 'eval run',
      at: at.toISOString(),
      until: inHours(2),
      channel: 'C0OPS000001',
    });
    const key = bench.store.keys.hold('spark');
    expect(JSON.parse((await bench.store.redis.get(key)) ?? '')).toEqual(hold);
    expect(await bench.store.redis.pttl(key)).toBeGreaterThan(2 * HOUR - 10_000);
    expect(await bench.store.redis.pttl(key)).toBeLessThanOrEqual(2 * HOUR);
    expect(await outbox()).toEqual([`hold ${JSON.stringify(hold)}`]);
    expect((await holds.holds()).held.get('spark')).toEqual(hold);
  });

  test('ends by itself', async () => {
    await holds.hold(ask({ until: new Date(Date.now() + 300).toISOString() }));
    await expect.poll(async () => (await holds.holds()).held.size, { timeout: 5_000 }).toBe(0);
    await expect(holds.unlock({ cluster: 'spark', by: operator, overrule: false })).rejects.toThrow(
      'Nobody holds spark.',
    );
  });

  test('takes the default end, and says what for', async () => {
    expect((await holds.hold(ask())).hold.until).toBe(inHours(5));
    await bench.store.redis.flushall();
    await expect(holds.hold(again())).rejects.toMatchObject({
      code: 'usage',
      message: 'Say what for: whoever is kept waiting reads it.',
    });
    await expect(holds.hold(ask({ until: inHours(24 * 91) }))).rejects.toThrow('later than in 90 days');
  });

  test('its holder changes the end and keeps the reason, or the other way round', async () => {
    await holds.hold(ask({ until: inHours(2) }));
    expect((await holds.hold(again({ extendMs: HOUR }))).hold).toMatchObject({ reason: 'eval run', until: inHours(3) });
    expect((await holds.hold(again({ until: inHours(1) }))).hold.until).toBe(inHours(1));
    expect((await holds.hold(ask({ reason: 'second run' }))).hold).toMatchObject({
      reason: 'second run',
      until: inHours(1),
    });
    expect((await outbox()).map((item) => item.split(' ')[0])).toEqual(['hold', 'hold', 'hold', 'hold']);
  });

  test("an end can't be moved once the hold is over", async () => {
    await expect(holds.hold(again({ extendMs: HOUR }))).rejects.toThrow('You do not hold spark any more');
  });

  test('the first one has it: others are told whose it is', async () => {
    await holds.hold(ask({ until: inHours(2) }));
    const end = inHours(2).slice(0, 16).replace('T', ' ');
    await expect(holds.hold(ask({ by: other, reason: 'mine' }))).rejects.toMatchObject({
      code: 'busy',
      message: `Not held: Operator holds spark until ${end} UTC, eval run. Nothing was changed.`,
      hint: 'Operator or an approver ends it with: unlock spark',
    });
  });

  test('of ten at once one gets it', async () => {
    const people = Array.from({ length: 10 }, (_, number) => ({
      team: 'T1',
      user: `U${number}`,
      name: `Person ${number}`,
    }));
    const results = await Promise.allSettled(people.map((by) => holds.hold(ask({ by }))));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await outbox()).toHaveLength(1);
  });
});

describe('the reminder', () => {
  test('comes 15 min before the end, in the channel of the cluster, to who holds', async () => {
    await holds.hold(ask({ until: inHours(2), channel: 'C0OTHER' }));
    const [reminder] = (await waiting()).filter(({ body }) => body.kind === 'hold-ends');
    expect(reminder).toMatchObject({ channel: 'C0OPS000001', mention: [{ user: 'U0OPERATOR' }], due: inHours(1.75) });
  });

  test('moves with the end; of a short hold it comes in its last quarter', async () => {
    await holds.hold(ask({ until: inHours(2) }));
    await holds.hold(ask({ until: inHours(0.4) }));
    expect(await waiting()).toMatchObject([{ body: { kind: 'hold-ends' }, due: inHours(0.3) }]);
  });

  test('does not come when the hold was ended before', async () => {
    await holds.hold(ask());
    await holds.unlock({ cluster: 'spark', by: operator, overrule: false, channel: 'C0OPS000001' });
    expect(await waiting()).toEqual([]);
  });
});

describe('what was typed elsewhere', () => {
  test("is told in the cluster's channel", async () => {
    await holds.hold(ask({ channel: 'C0OTHER' }));
    expect((await waiting()).filter(({ body }) => body.kind === 'hold')).toMatchObject([{ channel: 'C0OPS000001' }]);
  });
});

describe('unlock', () => {
  test('by its holder', async () => {
    await holds.hold(ask());
    expect(await holds.unlock({ cluster: 'spark', by: operator, overrule: false })).toMatchObject({ cluster: 'spark' });
    expect((await holds.holds()).held.size).toBe(0);
    expect((await outbox()).at(-1)).toBe('unhold ');
  });

  test('by another one only who may overrule, and the holder is told', async () => {
    await holds.hold(ask());
    await expect(holds.unlock({ cluster: 'spark', by: other, overrule: false })).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringMatching(/^Not unlocked: Operator holds spark until .*, eval run\. Nothing was changed\.$/),
    });
    await holds.unlock({ cluster: 'spark', by: other, overrule: true });
    expect(await waiting()).toMatchObject([
      {
        channel: 'C0OPS000001',
        mention: [{ user: 'U0OPERATOR' }],
        body: { kind: 'hold-ended', by: { user: other.user } },
      },
    ]);
  });

  test('is not told a second time where its answer was read', async () => {
    await holds.hold(ask());
    await holds.unlock({ cluster: 'spark', by: other, overrule: true, channel: 'C0OPS000001' });
    expect(await waiting()).toEqual([]);
    await holds.hold(ask());
    await holds.unlock({ cluster: 'spark', by: operator, overrule: false, channel: 'C0OTHER' });
    expect(await waiting()).toMatchObject([{ channel: 'C0OPS000001', mention: [], body: { kind: 'hold-ended' } }]);
  });

  test('is refused while a job runs, and not by a claim that stands for nothing', async () => {
    await holds.hold(ask());
    await bench.admit('aaaaaaaaaa');
    await expect(holds.unlock({ cluster: 'spark', by: operator, overrule: true })).rejects.toMatchObject({
      what: 'Not unlocked',
      holder: { number: 142 },
      hint: 'Wait until it ends, or cancel it: cancel 142',
    });
    expect((await holds.holds()).held.size).toBe(1);
    await bench.store.redis.set(bench.store.keys.claim('spark'), 'forgotten1');
    await holds.unlock({ cluster: 'spark', by: operator, overrule: false });
    expect((await holds.holds()).held.size).toBe(0);
  });
});

describe('a freeze', () => {
  test('stands over all clusters, whatever runs, and lies on each head', async () => {
    await bench.admit('aaaaaaaaaa');
    const { hold, ...rest } = await holds.freeze(ask({ reason: 'power works' }));
    expect(rest).toEqual({});
    expect((await holds.holds()).freeze).toEqual(hold);
    expect(await outbox()).toEqual([`freeze ${JSON.stringify(hold)}`]);
    await holds.unfreeze({ by: other, overrule: true });
    expect((await holds.holds()).freeze).toBeUndefined();
    expect((await outbox()).at(-1)).toBe('unfreeze ');
  });

  test('of somebody else is not replaced', async () => {
    await holds.freeze(ask({ reason: 'power works' }));
    await expect(holds.freeze(ask({ by: other }))).rejects.toThrow(
      /^Not frozen: Operator has frozen all clusters until/,
    );
  });
});

test('a store that stood still for longer than the person was told writes nothing', async () => {
  const own = await openBench();
  const slow = openHolds({
    store: own.store,
    journal: own.journal,
    notices: openNotices(own.store),
    config: async () => literalConfig(),
    now: () => at,
    log: silent,
  });
  const real = own.store.redis.time.bind(own.store.redis);
  // The answer to the question for the time is 3 s old when the script runs.
  own.store.redis.time = async () => {
    const [seconds = 0, micros = 0] = await real();
    return [Number(seconds) - 3, Number(micros)];
  };
  await expect(slow.hold(ask())).rejects.toMatchObject({ code: 'store-away' });
  expect(await own.store.redis.exists(own.store.keys.hold('spark'))).toBe(0);
  await own.stop();
});
