import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../src/local/slack/message.ts';
import { ADMIN, APPROVER, OPERATOR } from '../../src/local/slack/people.ts';
import {
  answers,
  cards,
  cardText,
  eventually,
  type Place,
  requests,
  running,
  say,
  startPlace,
  threadText,
} from '../support/place.ts';

let place: Place;
beforeEach(async () => {
  place = await startPlace();
  const recipes = join(place.configFolder, 'recipes');
  await cp(join(recipes, 'qwen35.yaml'), join(recipes, 'glm47.yaml'));
});
afterEach(async () => {
  expect(place.slack.violations).toEqual([]);
  await place.stop();
});

/** The Operator's qwen35 (#1) serves, and the Admin wants glm47 (#2) in its place. */
async function overWhatServes(): Promise<Message> {
  await say(place, '/spark deploy qwen35 until 2h note "eval run"');
  expect(await place.ended(1, 120_000)).toMatchObject({ state: 'serving' });
  await say(place, '/spark deploy glm47', ADMIN);
  return eventually('the request stands in the channel', 30_000, () => requests(place)[0]);
}

async function press(person: string, action: string): Promise<string> {
  const before = answers(place, person).length;
  await place.slack.click(person, requests(place)[0]?.ts ?? '', action);
  return eventually('it is answered', 10_000, () => answers(place, person)[before]);
}

function hasButtons({ blocks }: Message): boolean {
  return JSON.stringify(blocks).includes('action_id');
}

describe('a deploy over what serves', () => {
  it('waits for somebody else to agree, then takes its place', { timeout: 300_000 }, async () => {
    await place.product();
    const request = await overWhatServes();
    expect(answers(place, ADMIN)[0]).toMatch(
      /^Deploying glm47 on spark, #2\..*\nPlease ask @Operator first: qwen35 \(#1\) is theirs until .*, "eval run"\.\nI ask for approval before qwen35 \(#1\) is interrupted\.$/s,
    );
    expect(request.thread_ts).toBeUndefined();
    const told = place.slack.textOf(request).split('\n');
    expect(request.text.split('\n')[0]).toBe(
      "spark: stop qwen35 for <@U0ADMIN0001>'s glm47? 0 running. <@U0APPROVER1>",
    );
    expect(told).toContainEqual(expect.stringMatching(/^Stops qwen35 \(#1\), of @Operator, until .*, "eval run"\.$/));
    expect(told).toContainEqual(expect.stringMatching(/^Running now: 0\. In the last hour: unknown\./));
    expect(told).toContainEqual(expect.stringMatching(/^Way back: proven, /));
    await eventually('its card says so', 10_000, () =>
      cardText(place).includes('spark WAITING: glm47 (#2), for approval'),
    );

    expect(await press(ADMIN, 'approve')).toContain('You asked for it, so somebody else must approve it.');
    expect(await press(OPERATOR, 'approve')).toContain('Only those who decide may say that of #2.');
    expect(await press(APPROVER, 'approve')).toMatch(/^Approved, #2: stop qwen35 for @Admin's glm47\./);

    const { uid, state } = await place.ended(2, 120_000);
    expect(state).toBe('serving');
    expect(await place.record(1)).toMatchObject({ state: 'replaced', replacedBy: 2 });
    expect(running(place)).toEqual({ spark1: [`sparkops-${uid}-spark1`], spark2: [`sparkops-${uid}-spark2`] });
    await eventually('the old card says so', 10_000, () =>
      cardText(place).includes('spark REPLACED: qwen35 (#1), by #2'),
    );
    expect(cards(place).some(hasButtons)).toBe(false);
    expect(requests(place).map(place.slack.textOf)).toEqual([
      expect.stringMatching(/^spark APPROVED: stop qwen35 for glm47 \(#2\)\n(?:.*\n)*APPROVED by @Approver at /),
    ]);
    expect(requests(place).some(hasButtons)).toBe(false);
    expect(threadText(place)).toMatch(/spark UP: glm47.* @Admin\n(?:.*\n)*Approved by @Approver\./);
    expect(threadText(place).match(/spark REPLACED: qwen35, by #2\./g)).toHaveLength(1);
  });

  it('is denied with a reason: nothing is touched, and what serves goes on', { timeout: 300_000 }, async () => {
    await place.product();
    const { ts } = await overWhatServes();
    const before = running(place);
    await place.slack.click(APPROVER, ts, 'deny');
    const { view } = await eventually('a form asks why', 10_000, () => place.slack.modals(APPROVER)[0]);
    await place.slack.submitView(APPROVER, view.id, { reason: 'not during the eval' });
    expect(await place.ended(2, 120_000)).toMatchObject({ state: 'denied' });
    expect(running(place)).toEqual(before);
    expect(await place.record(1)).toMatchObject({ state: 'serving' });
    expect(await place.store.redis.get(place.store.keys.claim('spark'))).toBeNull();
    expect(threadText(place)).toContain('spark DENIED: glm47 (#2) by @Approver. Nothing was changed. @Admin');
    expect(threadText(place)).toContain('qwen35 (#1) was not touched and still serves.');
    expect(requests(place).map(place.slack.textOf).join()).toContain('not during the eval');
    expect(requests(place).some(hasButtons)).toBe(false);
  });
});
