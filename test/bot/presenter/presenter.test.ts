import { describe, expect, onTestFinished, test } from 'vitest';
import { OPERATOR, OPS_CHANNEL } from '../../../src/local/slack/people.ts';
import { workplace, type Workplace, type WorkplaceOptions } from '../support/bot.ts';
import { allDone, aRecord, at, phasesUpTo, serving } from '../support/records.ts';

async function start(options?: WorkplaceOptions): Promise<Workplace> {
  const place = await workplace(options);
  onTestFinished(place.stop);
  return place;
}

const view = { channel: OPS_CHANNEL, user: OPERATOR, team: 'T0LOCAL0001' };
const note = { kind: 'note', phase: 'load', level: 'info' } as const;
const loading = { state: 'running', phase: 'load', phases: phasesUpTo('load') } as const;
const served = { state: 'serving', phases: allDone(), endedAt: at(960) } as const;
const ended = { kind: 'ended', state: 'serving' } as const;

function add({ jobs }: Workplace, uid = 'abcdefghij'): void {
  jobs.add(aRecord({ uid }), view);
}

function firsts({ slack }: Workplace): (string | undefined)[] {
  return slack.messages(OPS_CHANNEL).map(({ text }) => text.split('\n')[0]);
}

async function card({ slack }: Workplace) {
  return slack.until(() => slack.messages(OPS_CHANNEL)[0]);
}

function replies({ slack }: Workplace): string[] {
  const root = slack.messages(OPS_CHANNEL)[0];
  return root
    ? slack
        .thread(OPS_CHANNEL, root.ts)
        .slice(1)
        .map(({ text }) => text)
    : [];
}

function calls({ slack }: Workplace, method: string): number {
  return slack.apiCalls.filter((call) => call.method === method).length;
}

async function allShown(place: Workplace, times = 1): Promise<void> {
  await expect.poll(() => place.jobs.done, { timeout: 12_000 }).toHaveLength(times);
}

describe('nothing twice, nothing lost', () => {
  test('a card that was posted though Slack answered 500', async () => {
    const place = await start();
    place.slack.fault('chat.postMessage', { status: 500, applied: true });
    add(place);
    place.jobs.change('abcdefghij', served, ended);
    await allShown(place);
    expect(firsts(place)).toEqual(['spark UP: qwen35 (#142)', expect.stringMatching(/^spark UP: qwen35, took/)]);
  });

  test('replies that were posted though Slack answered 500, and the end', async () => {
    const place = await start();
    add(place);
    await card(place);
    place.slack.fault('chat.postMessage', { status: 500, applied: true, times: 2 });
    place.jobs.change('abcdefghij', loading, { ...note, text: 'first' });
    await place.slack.until(() => replies(place).length === 1);
    place.jobs.change('abcdefghij', {}, { ...note, text: 'second' });
    place.jobs.change('abcdefghij', served, ended);
    await allShown(place);
    expect(replies(place)).toEqual(['first', 'second', expect.stringMatching(/^spark UP/)]);
  });

  test('what Slack did not take is sent again: 500, an error of its own, 429', async () => {
    const place = await start();
    for (const fault of [{ status: 503 }, { error: 'internal_error' }, { retryAfter: 1 }]) {
      place.slack.fault('chat.postMessage', fault);
    }
    add(place);
    place.jobs.change('abcdefghij', served, ended);
    await allShown(place);
    expect(firsts(place)).toHaveLength(2);
    expect(place.slack.violations).toEqual([]);
  });

  test('without the right to look, a post of unknown outcome is repeated once', async () => {
    const place = await start();
    add(place);
    await card(place);
    place.slack.fault('conversations.replies', { error: 'missing_scope', times: Infinity });
    place.slack.fault('chat.postMessage', { status: 500, applied: true, times: 2 });
    place.jobs.change('abcdefghij', loading, { ...note, text: 'first' });
    await expect.poll(() => replies(place), { timeout: 8_000 }).toHaveLength(2);
    place.jobs.change('abcdefghij', served, ended);
    await allShown(place);
    expect(replies(place)).toEqual(['first', 'first', expect.stringMatching(/^spark UP/)]);
  });

  test('a process that goes on where another one ended', async () => {
    const place = await start();
    add(place);
    place.jobs.change('abcdefghij', loading, { ...note, text: 'first' });
    await place.slack.until(() => replies(place).length === 1);
    await place.bot.stop();
    place.jobs.change('abcdefghij', {}, { ...note, text: 'second' });
    await place.restart();
    place.jobs.change('abcdefghij', served, ended);
    await allShown(place);
    expect(firsts(place)).toHaveLength(2);
    expect(replies(place)).toEqual(['first', 'second', expect.stringMatching(/^spark UP/)]);
  });

  test('a process that was killed between a post and its note of it', async () => {
    const place = await start();
    add(place);
    const { ts } = await card(place);
    await place.bot.stop();
    const posted = { deployment: 'abcdefghij', seq: 2 };
    place.jobs.change('abcdefghij', loading, { ...note, text: 'first' });
    await postAsBot(place, {
      thread_ts: ts,
      text: 'first',
      metadata: { event_type: 'sparkops', event_payload: posted },
    });
    place.jobs.views.set('abcdefghij', { ...place.jobs.views.get('abcdefghij'), replySeq: 2, replyTries: 1 });
    await place.restart();
    place.jobs.change('abcdefghij', {}, { ...note, text: 'second' });
    await expect.poll(() => replies(place), { timeout: 5_000 }).toEqual(['first', 'second']);
  });

  test('two processes present one deployment once', async () => {
    const place = await start();
    const other = await start({ jobs: place.jobs });
    add(place);
    place.jobs.change('abcdefghij', loading, { ...note, text: 'first' });
    place.jobs.change('abcdefghij', served, ended);
    await allShown(place);
    expect(firsts(place).length + firsts(other).length).toBe(2);
    expect(replies(place).length + replies(other).length).toBe(2);
  });

  test('whoever loses the lease says nothing more', async () => {
    const place = await start();
    add(place);
    await card(place);
    place.jobs.leaseTaken = true;
    await expect.poll(() => place.jobs.leases.size, { timeout: 5_000 }).toBe(0);
    place.jobs.change('abcdefghij', served, ended);
    await place.bot.stop();
    expect(firsts(place)).toEqual(['spark QUEUED: qwen35 (#142)']);
  });

  test('a store that is away for a while', async () => {
    const place = await start();
    add(place);
    await card(place);
    place.jobs.away = true;
    place.jobs.change('abcdefghij', loading, { ...note, text: 'first' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    place.jobs.away = false;
    await expect.poll(() => replies(place), { timeout: 6_000 }).toEqual(['first']);
  });
});

describe('what Slack refuses', () => {
  test('a plan block: sections stand in, for later edits too', async () => {
    const place = await start();
    place.slack.fault('chat.postMessage', { error: 'invalid_blocks' });
    add(place);
    expect(JSON.stringify((await card(place)).blocks)).not.toContain('"plan"');
    place.jobs.change('abcdefghij', loading);
    await place.slack.until(() => place.texts()[0]?.startsWith('spark DEPLOYING'));
    expect(JSON.stringify(place.slack.messages(OPS_CHANNEL)[0]?.blocks)).toContain('▸ Load, running');
  });

  test('a plan block in an edit', async () => {
    const place = await start();
    add(place);
    await card(place);
    place.slack.fault('chat.update', { error: 'invalid_blocks' });
    place.jobs.change('abcdefghij', loading);
    await place.slack.until(() => place.texts()[0]?.startsWith('spark DEPLOYING'));
    expect(JSON.stringify(place.slack.messages(OPS_CHANNEL)[0]?.blocks)).not.toContain('"plan"');
  });

  test('any blocks: the text alone', async () => {
    const place = await start();
    add(place);
    await card(place);
    place.slack.fault('chat.postMessage', { error: 'invalid_blocks' });
    place.jobs.change('abcdefghij', loading, { ...note, text: 'first' });
    expect(await place.slack.until(() => replies(place)[0])).toBe('first');
  });

  test('a card that someone deleted is posted again', async () => {
    const place = await start();
    add(place);
    place.slack.deleteMessage(OPS_CHANNEL, (await card(place)).ts);
    place.jobs.change('abcdefghij', loading);
    await place.slack.until(() => firsts(place)[0]?.startsWith('spark DEPLOYING'));
    place.jobs.change('abcdefghij', served, ended);
    await allShown(place);
    expect(firsts(place)).toHaveLength(2);
  });

  test('a channel that it was removed from: who asked is told directly', async () => {
    const place = await start();
    add(place);
    await card(place);
    place.slack.setChannel({ id: OPS_CHANNEL, members: new Set([OPERATOR]) });
    place.jobs.change('abcdefghij', served, ended);
    await allShown(place);
    const direct = place.slack.apiCalls.filter(
      ({ method, args }) => method === 'chat.postMessage' && args['channel'] === OPERATOR,
    );
    expect(direct).toHaveLength(1);
  });

  test('nobody can be reached: it gives up', async () => {
    const place = await start();
    place.slack.fault('chat.postMessage', { error: 'channel_not_found', times: Infinity });
    add(place);
    await allShown(place);
    expect(calls(place, 'chat.postMessage')).toBe(2);
  });
});

describe("Slack's arithmetic", () => {
  test('a phase change of three deploys is on their cards within 4 s, with progress going on', async () => {
    const place = await start();
    const uids = ['deploy1', 'deploy2', 'deploy3'];
    for (const uid of uids) add(place, uid);
    await place.slack.until(() => place.slack.messages(OPS_CHANNEL).length === 3);
    for (const uid of uids) place.jobs.change(uid, loading);
    const progress = setInterval(() => {
      for (const uid of uids) {
        place.jobs.change(uid, { progress: { stage: 'weights', percent: Math.round(Math.random() * 100) } });
      }
    }, 50);
    try {
      await place.slack.until(() => firsts(place).every((line) => line?.startsWith('spark DEPLOYING')));
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      for (const uid of uids) place.jobs.change(uid, { phases: phasesUpTo('smoke') });
      await place.slack.until(() => place.texts().every((text) => text.includes('Smoke test, running')), 4_000);
    } finally {
      clearInterval(progress);
    }
    expect(calls(place, 'chat.update')).toBeLessThan(16);
    expect(place.slack.apiCalls.filter(({ result }) => result['error'] === 'ratelimited')).toEqual([]);
  });

  test('an edit that Slack refuses for a while waits as long as it says', async () => {
    const place = await start();
    add(place);
    await card(place);
    place.slack.fault('chat.update', { retryAfter: 1 });
    const before = performance.now();
    place.jobs.change('abcdefghij', loading);
    await place.slack.until(() => place.texts()[0]?.startsWith('spark DEPLOYING'));
    expect(performance.now() - before).toBeGreaterThan(950);
  });

  test('notes that come together are one reply, and the end does not wait behind them', async () => {
    const place = await start();
    add(place);
    await card(place);
    for (let index = 1; index <= 20; index++)
      place.jobs.change('abcdefghij', loading, { ...note, text: `note ${index}` });
    const before = performance.now();
    place.jobs.change('abcdefghij', { ...serving(), uid: 'abcdefghij' }, ended);
    await place.slack.until(() => replies(place).some((text) => text.startsWith('spark UP')));
    expect(performance.now() - before).toBeLessThan(2_500);
    expect(replies(place).length).toBeLessThanOrEqual(3);
    expect(
      replies(place)
        .join('\n')
        .match(/note \d+/g),
    ).toHaveLength(20);
  });

  test('an unchanged card is not edited', async () => {
    const place = await start();
    add(place);
    await card(place);
    for (let index = 0; index < 5; index++) place.jobs.change('abcdefghij', {}, { kind: 'progress' });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(calls(place, 'chat.update')).toBe(0);
  });
});

async function postAsBot({ slack }: Workplace, message: Record<string, unknown>): Promise<void> {
  await fetch(`${slack.apiUrl}chat.postMessage`, {
    method: 'POST',
    headers: { authorization: `Bearer ${slack.botToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ channel: OPS_CHANNEL, ...message }),
  });
}
