import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { leaveSample, samplesOf } from '../../src/jobs/samples.ts';
import { ADMIN, APPROVER, OPERATOR } from '../../src/local/slack/people.ts';
import {
  answers,
  cards,
  eventually,
  type Place,
  requests,
  running,
  say,
  startPlace,
  threadText,
} from '../support/place.ts';
import { unwedge } from '../support/wedge.ts';

let place: Place;
const busy = new Set<AbortController>();
beforeEach(async () => {
  place = await startPlace();
});
afterEach(async () => {
  for (const asking of busy) asking.abort();
  busy.clear();
  expect(place.slack.violations).toEqual([]);
  await place.stop();
});

async function approvals(policy: object): Promise<void> {
  const file = join(place.configFolder, 'sparkops.yaml');
  await writeFile(file, stringify({ ...parse(await readFile(file, 'utf8')), approvals: policy }));
}

/** The Operator's model serves. */
async function served(): Promise<void> {
  await place.product();
  await say(place, '/spark deploy qwen35');
  expect(await place.ended(1)).toMatchObject({ state: 'serving' });
}

/** The Admin wants it stopped, or replaced: `number` waits for people. */
async function waiting(text: string, number: number, person = ADMIN): Promise<void> {
  const answer = await said(text, person);
  await eventually(`#${number} waits, after: ${answer}`, 30_000, async () => {
    const record = await place.record(number);
    if (record?.state === 'failed') throw new Error(`#${number} failed: ${record.cause?.text}`);
    return record?.state === 'waiting-approval';
  });
}

async function said(text: string, person: string): Promise<string> {
  const before = answers(place, person).length;
  await say(place, text, person);
  return eventually('it is answered', 15_000, () => answers(place, person)[before]);
}

/** Everybody in the channel is told of a hold, so nobody is answered alone. */
async function held(text: string, person: string, stands: boolean): Promise<void> {
  const { redis, keys } = place.store;
  await say(place, text, person);
  await eventually(`${text} is done`, 15_000, async () => {
    return (await redis.exists(keys.hold('spark'), keys.freeze)) === (stands ? 1 : 0);
  });
}

async function becomes(number: number, state: string, limitMs = 30_000): Promise<void> {
  await eventually(`#${number} is ${state}`, limitMs, async () => (await place.record(number))?.state === state);
}

/** A request that the engine never answers. */
async function askForever(): Promise<void> {
  await place.sparks.inject('wedged');
  const asking = new AbortController();
  busy.add(asking);
  const body = JSON.stringify({ model: 'qwen35', messages: [{ role: 'user', content: 'Hello' }], stream: true });
  void fetch(`${place.sparks.engineUrl()}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: asking.signal,
  }).catch(() => undefined);
  await eventually('the engine works on it', 5_000, async () => {
    const metrics = await fetch(`${place.sparks.engineUrl()}/metrics`);
    return /num_requests_running\{[^}]*\} 1/.test(await metrics.text());
  });
}

/** The engine answers again. */
function recover(): void {
  unwedge(place.sparks.clusterFile().nodes[0]?.paths?.state ?? '');
}

describe('a request that comes to nothing leaves what serves alone', () => {
  it('withdrawn, objected to, expired, and void for each reason', { timeout: 180_000 }, async () => {
    await served();
    const before = running(place);

    await waiting('/spark deploy qwen35', 2);
    expect(await said('/spark withdraw 2', APPROVER)).toContain('Only who asked for it may withdraw it.');
    await said('/spark withdraw 2', ADMIN);
    await becomes(2, 'cancelled');

    await waiting('/spark deploy qwen35', 3);
    expect(await said('/spark object 3 not now', APPROVER)).toContain('Only the owner');
    await said('/spark object 3 an eval is at 80 %', OPERATOR);
    await becomes(3, 'void');
    expect(await place.ended(3)).toMatchObject({ cause: { text: 'its owner objects: an eval is at 80 %' } });

    await approvals({ expires: '2s' });
    await waiting('/spark deploy qwen35', 4);
    await becomes(4, 'expired');
    await approvals({});

    await waiting('/spark deploy qwen35', 5);
    await held('/spark hold spark eval run', OPERATOR, true);
    await said('/spark approve 5', APPROVER);
    await becomes(5, 'void');
    expect((await place.ended(5)).cause?.text).toContain('holds the cluster by now: eval run');
    await held('/spark unlock spark', OPERATOR, false);

    await waiting('/spark deploy qwen35', 6, APPROVER);
    await held('/spark freeze for 2h release day', ADMIN, true);
    expect(await said('/spark approve 6', ADMIN)).toContain('Approved');
    await becomes(6, 'void');
    await held('/spark unfreeze', ADMIN, false);

    await waiting('/spark deploy qwen35', 7);
    await askForever();
    await said('/spark approve 7', APPROVER);
    await becomes(7, 'void');
    expect((await place.ended(7)).cause?.text).toBe('Nothing was done: qwen35 has requests by now, and had none');

    expect(running(place)).toEqual(before);
    expect(await place.record(1)).toMatchObject({ state: 'serving' });
    expect(await place.store.redis.get(place.store.keys.claim('spark'))).toBeNull();
    for (const { blocks } of [...requests(place), ...cards(place).slice(1)]) {
      expect(JSON.stringify(blocks)).not.toMatch(/"action_id":"(approve|deny|object|withdraw)"/);
    }
    expect(threadText(place)).toMatch(/spark EXPIRED: .*#4/);
  });
});

describe('who agrees', () => {
  it('two of several; a double click and two bots count one person once', { timeout: 120_000 }, async () => {
    await approvals({ required: 2 });
    await served();
    await place.product();
    await waiting('/spark stop spark', 1, OPERATOR);
    const { ts } = await eventually('the request stands there', 10_000, () => requests(place)[0]);
    await Promise.all([place.slack.click(APPROVER, ts, 'approve'), place.slack.click(APPROVER, ts, 'approve')]);
    await eventually('one vote is counted', 10_000, async () => (await place.record(1))?.approval?.votes.length === 1);
    await eventually('both clicks are answered', 10_000, () => answers(place, APPROVER).length === 2);
    expect(answers(place, APPROVER).filter((text) => text.includes('You have approved it already'))).toHaveLength(1);
    expect((await place.record(1))?.state).toBe('waiting-approval');
    await place.slack.click(ADMIN, ts, 'approve');
    await becomes(1, 'stopped');
    await place.ended(1);
    expect((await place.record(1))?.approval?.decision).toMatchObject({
      kind: 'approved',
      by: [{ user: APPROVER }, { user: ADMIN }],
    });
    expect(requests(place)).toHaveLength(1);
    expect(running(place)).toEqual({ spark1: [], spark2: [] });
  });

  it(
    'one alone breaks the glass after the time that the others have, and they are told',
    { timeout: 120_000 },
    async () => {
      await approvals({ break_glass: { after: '3s', rights: 'operator' } });
      await served();
      await waiting('/spark stop spark', 1, OPERATOR);
      expect(await said('/spark approve 1', OPERATOR)).toContain('Only those who decide');
      const early = await said('/spark approve 1 break-glass reason: prod is down', OPERATOR);
      expect(early).toMatch(/Those who decide still have time|Approved by you alone/);
      if (!early.startsWith('Approved')) {
        await eventually('the glass may be broken', 10_000, async () =>
          (await said('/spark approve 1 break-glass reason: prod is down', OPERATOR)).startsWith(
            'Approved by you alone',
          ),
        );
      }
      await becomes(1, 'stopped');
      const told = await eventually('those who were skipped are told', 15_000, () => {
        const text = threadText(place);
        return text.includes('BREAK GLASS') && text;
      });
      expect(told).toMatch(/spark BREAK GLASS: stop qwen35 .*, approved by @Operator alone\. .*@Approver/);
      expect(told).toContain('Reason: "prod is down"');
    },
  );
});

describe('approved when idle', () => {
  it('waits as long as requests run; all processes are replaced meanwhile', { timeout: 120_000 }, async () => {
    const first = await place.product();
    await say(place, '/spark deploy qwen35');
    await place.ended(1);
    await askForever();
    await waiting('/spark stop spark', 1, OPERATOR);
    await first.kill9();
    await place.product();
    expect(await said('/spark approve 1 idle', APPROVER)).toMatch(/^Approved when idle/);
    const asked = performance.now();
    await eventually('it has looked again', 15_000, async () => {
      const samples = await samplesOf(place.store, (await place.record(1))?.uid ?? '');
      return performance.now() - asked > 3_000 && (samples.at(-1)?.running ?? 0) > 0;
    });
    expect((await place.record(1))?.state).toBe('waiting-approval');
    recover();
    await becomes(1, 'stopped', 40_000);
    expect(running(place)).toEqual({ spark1: [], spark2: [] });
  });
});

describe('at three in the morning', () => {
  it('one person alone restarts a wedged model, under a hold of somebody else', { timeout: 120_000 }, async () => {
    await served();
    const { uid = '' } = (await place.record(1)) ?? {};
    await held('/spark hold spark eval run', APPROVER, true);
    await askForever();
    // What looks of the last minutes have left.
    const tokens = Number(
      /generation_tokens_total\{[^}]*\} (\d+)/.exec(
        await (await fetch(`${place.sparks.engineUrl()}/metrics`)).text(),
      )?.[1],
    );
    for (const minutes of [4, 3.5, 3, 2, 1]) {
      await leaveSample(place.store, uid, {
        at: Date.now() - minutes * 60_000,
        running: 1,
        waiting: 2,
        tokens,
        requests: 9,
        watts: 21.6,
      });
    }
    await said('/spark restart spark', OPERATOR);
    await eventually('the wedged engine is gone', 60_000, async () => (await place.record(1))?.state === 'replaced');
    recover();
    const again = await place.ended(2, 90_000);
    expect(again).toMatchObject({ state: 'serving', action: 'restart', by: { user: OPERATOR } });
    expect(again.approval).toBeUndefined();
    expect(requests(place)).toEqual([]);
    expect(await place.record(1)).toMatchObject({ state: 'replaced', replacedBy: 2 });
    expect(threadText(place)).toContain('evidence/');
    expect(running(place)).toEqual({
      spark1: [`sparkops-${again.uid}-spark1`],
      spark2: [`sparkops-${again.uid}-spark2`],
    });
  });

  it('a healthy one is not restarted without somebody else', { timeout: 90_000 }, async () => {
    await served();
    await waiting('/spark restart spark', 2, OPERATOR);
    expect((await place.record(2))?.approval).toMatchObject({
      action: 'restart',
      facts: { interrupts: [{ state: 'ok' }] },
    });
  });
});

describe('the way back', () => {
  it('a rollback brings back what served before, its image by digest', { timeout: 150_000 }, async () => {
    await served();
    await waiting('/spark deploy qwen35 note "new try"', 2);
    await said('/spark approve 2', APPROVER);
    await becomes(2, 'serving', 40_000);
    await waiting('/spark rollback spark', 3, OPERATOR);
    expect((await place.record(3))?.plan.image).toMatch(/sha256:/);
    await said('/spark approve 3', APPROVER);
    const back = await place.ended(3, 60_000);
    expect({ state: back.state, cause: back.cause }).toEqual({ state: 'serving' });
    expect(await place.record(2)).toMatchObject({ state: 'replaced', replacedBy: 3 });
  });
});
