import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leaveSample, samplesOf } from '../../src/jobs/samples.ts';
import { APPROVER, OPERATOR } from '../../src/local/slack/people.ts';
import { eventually, requests, running, say, threadText, type Place, startPlace } from '../support/place.ts';
import { waiting, said, held, becomes, askForever, recover, served } from './support/deciding.ts';

let place: Place;
beforeEach(async () => {
  place = await startPlace();
});
afterEach(async () => {
  expect(place.slack.violations).toEqual([]);
  await place.stop();
});

describe('approved when idle', () => {
  it('waits as long as requests run; all processes are replaced meanwhile', { timeout: 120_000 }, async () => {
    const first = await place.product();
    await say(place, '/spark deploy qwen35');
    await place.ended(1);
    await askForever(place);
    await waiting(place, '/spark stop spark', 1, OPERATOR);
    await first.kill9();
    await place.product();
    expect(await said(place, '/spark approve 1 idle', APPROVER)).toMatch(/^Approved when idle/);
    const asked = performance.now();
    await eventually('it has looked again', 15_000, async () => {
      const samples = await samplesOf(place.store, (await place.record(1))?.uid ?? '');
      return performance.now() - asked > 3_000 && (samples.at(-1)?.running ?? 0) > 0;
    });
    expect((await place.record(1))?.state).toBe('waiting-approval');
    recover(place);
    await becomes(place, 1, 'stopped', 40_000);
    expect(running(place)).toEqual({ spark1: [], spark2: [] });
  });
});

describe('at three in the morning', () => {
  it('one person alone restarts a wedged model, under a hold of somebody else', { timeout: 120_000 }, async () => {
    await served(place);
    const { uid = '' } = (await place.record(1)) ?? {};
    await held(place, '/spark hold spark eval run', APPROVER, true);
    await askForever(place);
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
    await said(place, '/spark restart spark', OPERATOR);
    await eventually('the wedged engine is gone', 60_000, async () => (await place.record(1))?.state === 'replaced');
    recover(place);
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
});

describe('the way back', () => {
  it(
    'a healthy one is restarted once somebody agrees; a rollback brings back what served before, its image by digest',
    { timeout: 150_000 },
    async () => {
      await served(place);
      await waiting(place, '/spark restart spark', 2, OPERATOR);
      const { approval } = (await place.record(2)) ?? {};
      expect(approval).toMatchObject({ action: 'restart', facts: { interrupts: [{ state: 'ok' }] } });
      await said(place, '/spark approve 2', APPROVER);
      await becomes(place, 2, 'serving', 60_000);
      await waiting(place, '/spark rollback spark', 3, OPERATOR);
      expect((await place.record(3))?.plan.image).toMatch(/sha256:/);
      await said(place, '/spark approve 3', APPROVER);
      const back = await place.ended(3, 60_000);
      expect({ state: back.state, cause: back.cause }).toEqual({ state: 'serving' });
      expect(await place.record(2)).toMatchObject({ state: 'replaced', replacedBy: 3 });
    },
  );
});
