import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, APPROVER, OPERATOR } from '../../src/local/slack/people.ts';
import { answers, cards, eventually, requests, running, threadText, type Place, startPlace } from '../support/place.ts';
import { approvals, waiting, said, held, becomes, askForever, served } from './support/deciding.ts';

let place: Place;
beforeEach(async () => {
  place = await startPlace();
});
afterEach(async () => {
  expect(place.slack.violations).toEqual([]);
  await place.stop();
});

describe('a request that comes to nothing leaves what serves alone', () => {
  it('withdrawn, objected to, expired, and void for each reason', { timeout: 180_000 }, async () => {
    await served(place);
    const before = running(place);

    await waiting(place, '/spark deploy qwen35', 2);
    expect(await said(place, '/spark withdraw 2', APPROVER)).toContain('Only who asked for it may withdraw it.');
    await said(place, '/spark withdraw 2', ADMIN);
    await becomes(place, 2, 'cancelled');

    await waiting(place, '/spark deploy qwen35', 3);
    expect(await said(place, '/spark object 3 not now', APPROVER)).toContain('Only the owner');
    await said(place, '/spark object 3 an eval is at 80 %', OPERATOR);
    await becomes(place, 3, 'void');
    expect(await place.ended(3)).toMatchObject({ cause: { text: 'its owner objects: an eval is at 80 %' } });

    await approvals(place, { expires: '2s' });
    await waiting(place, '/spark deploy qwen35', 4);
    await becomes(place, 4, 'expired');
    await approvals(place, {});

    await waiting(place, '/spark deploy qwen35', 5);
    await held(place, '/spark hold spark eval run', OPERATOR, true);
    await said(place, '/spark approve 5', APPROVER);
    await becomes(place, 5, 'void');
    expect((await place.ended(5)).cause?.text).toContain('holds the cluster by now: eval run');
    await held(place, '/spark unlock spark', OPERATOR, false);

    await waiting(place, '/spark deploy qwen35', 6, APPROVER);
    await held(place, '/spark freeze for 2h release day', ADMIN, true);
    expect(await said(place, '/spark approve 6', ADMIN)).toContain('Approved');
    await becomes(place, 6, 'void');
    await held(place, '/spark unfreeze', ADMIN, false);

    await waiting(place, '/spark deploy qwen35', 7);
    await askForever(place);
    await said(place, '/spark approve 7', APPROVER);
    await becomes(place, 7, 'void');
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
    await approvals(place, { required: 2 });
    await served(place);
    await place.product();
    await waiting(place, '/spark stop spark', 1, OPERATOR);
    const { ts } = await eventually('the request stands there', 10_000, () => requests(place)[0]);
    await Promise.all([place.slack.click(APPROVER, ts, 'approve'), place.slack.click(APPROVER, ts, 'approve')]);
    await eventually('one vote is counted', 10_000, async () => (await place.record(1))?.approval?.votes.length === 1);
    await eventually('both clicks are answered', 10_000, () => answers(place, APPROVER).length === 2);
    expect(answers(place, APPROVER).filter((text) => text.includes('You have approved it already'))).toHaveLength(1);
    expect((await place.record(1))?.state).toBe('waiting-approval');
    await place.slack.click(ADMIN, ts, 'approve');
    await becomes(place, 1, 'stopped');
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
      await approvals(place, { break_glass: { after: '3s', rights: 'operator' } });
      await served(place);
      await waiting(place, '/spark stop spark', 1, OPERATOR);
      expect(await said(place, '/spark approve 1', OPERATOR)).toContain('Only those who decide');
      const early = await said(place, '/spark approve 1 break-glass reason: prod is down', OPERATOR);
      expect(early).toMatch(/Those who decide still have time|Approved by you alone/);
      if (!early.startsWith('Approved')) {
        await eventually('the glass may be broken', 10_000, async () =>
          (await said(place, '/spark approve 1 break-glass reason: prod is down', OPERATOR)).startsWith(
            'Approved by you alone',
          ),
        );
      }
      await becomes(place, 1, 'stopped');
      const told = await eventually('those who were skipped are told', 15_000, () => {
        const text = threadText(place);
        return text.includes('BREAK GLASS') && text;
      });
      expect(told).toMatch(/spark BREAK GLASS: stop qwen35 .*, approved by @Operator alone\. .*@Approver/);
      expect(told).toContain('Reason: "prod is down"');
    },
  );
});
