import { describe, expect, onTestFinished, test } from 'vitest';
import type { Fault } from '../../../src/local/slack/faults.ts';
import { BOT, OPERATOR, OPS_CHANNEL, OTHER_CHANNEL, VIEWER } from '../../../src/local/slack/people.ts';
import { ALL_SCOPES } from '../../../src/local/slack/scopes.ts';
import { workplace, type Workplace, type WorkplaceOptions } from '../support/bot.ts';
import { allDone, aRecord, at, phasesUpTo } from '../support/records.ts';

const PRIVATE_CHANNEL = 'G0PRIVATE01';
const loading = { state: 'running', phase: 'load', phases: phasesUpTo('load') } as const;
const served = { state: 'serving', phases: allDone(), endedAt: at(960) } as const;
const ended = { kind: 'ended', state: 'serving' } as const;
const note = (text: string) => ({ kind: 'note', phase: 'load', level: 'info', text }) as const;

async function start(options?: WorkplaceOptions): Promise<Workplace> {
  const place = await workplace(options);
  onTestFinished(place.stop);
  return place;
}

function add({ jobs }: Workplace, channel = OPS_CHANNEL, uid = 'abcdefghij'): void {
  jobs.add(aRecord({ uid }), { channel, user: OPERATOR, team: 'T0LOCAL0001' });
}

async function card({ slack }: Workplace, channel = OPS_CHANNEL) {
  return slack.until(() => slack.messages(channel)[0]);
}

function replies({ slack }: Workplace, channel = OPS_CHANNEL): string[] {
  const root = slack.messages(channel)[0];
  return root
    ? slack
        .thread(channel, root.ts)
        .slice(1)
        .map(({ text }) => text.split('\n')[0] ?? '')
    : [];
}

async function allShown({ jobs }: Workplace, limitMs = 15_000): Promise<void> {
  await expect.poll(() => jobs.done, { timeout: limitMs }).toHaveLength(1);
}

describe('a Slack in trouble', () => {
  test(
    'a storm of 429: it waits as long as it is told, and everything is shown once',
    { timeout: 40_000 },
    async () => {
      const place = await start();
      add(place);
      await card(place);
      place.slack.fault('chat.postMessage', { retryAfter: 1, times: 4 });
      place.slack.fault('chat.update', { retryAfter: 1, times: 4 });
      const before = performance.now();
      place.jobs.change('abcdefghij', loading, note('first'));
      await place.slack.until(() => replies(place).length === 1, 15_000);
      place.jobs.change('abcdefghij', served, ended);
      await allShown(place);
      expect(performance.now() - before).toBeGreaterThan(3_900);
      expect(replies(place)).toEqual(['first', expect.stringMatching(/^spark UP/)]);
      expect(place.texts()[0]).toMatch(/^spark UP/);
      const refused = place.slack.apiCalls.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(8);
    },
  );

  test('faults of several kinds, mixed: each event once, in order', { timeout: 40_000 }, async () => {
    const place = await start();
    const kinds: Fault[] = [
      { status: 500, applied: true },
      { error: 'internal_error', applied: true },
      { status: 503 },
    ];
    for (const fault of kinds) {
      place.slack.fault('chat.postMessage', fault);
      place.slack.fault('chat.update', fault);
    }
    add(place);
    await place.slack.until(() => place.slack.messages(OPS_CHANNEL)[0], 15_000);
    for (let index = 1; index <= 4; index++) {
      place.jobs.change('abcdefghij', loading, note(`note ${index}`));
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    place.jobs.change('abcdefghij', served, ended);
    await allShown(place, 30_000);
    const whole = place.slack
      .thread(OPS_CHANNEL, (await card(place)).ts)
      .slice(1)
      .map(({ text }) => text)
      .join('\n');
    expect(whole.match(/note \d|spark UP/g)).toEqual(['note 1', 'note 2', 'note 3', 'note 4', 'spark UP']);
    const tops = place.slack.messages(OPS_CHANNEL).filter(({ subtype }) => subtype === undefined);
    expect(tops.map(({ text }) => text.split('\n')[0])).toEqual(['spark UP: qwen35 (#142)']);
  });

  test('an edit that was applied though Slack answered 500 is made again, and harms nothing', async () => {
    const place = await start();
    add(place);
    await card(place);
    place.slack.fault('chat.update', { status: 500, applied: true });
    place.jobs.change('abcdefghij', served, ended);
    await allShown(place);
    expect(place.texts()[0]).toMatch(/^spark UP/);
  });

  test('without the scopes to look, in truth: at most one repeat, never a loss', async () => {
    const place = await start({ slack: { scopes: ALL_SCOPES.filter((scope) => !scope.endsWith(':history')) } });
    add(place);
    await card(place);
    place.slack.fault('chat.postMessage', { status: 500, applied: true });
    place.jobs.change('abcdefghij', loading, note('first'));
    await place.slack.until(() => replies(place).length === 2, 10_000);
    place.jobs.change('abcdefghij', served, ended);
    await allShown(place);
    expect(replies(place)).toEqual(['first', 'first', expect.stringMatching(/^spark UP/)]);
  });
});

describe('channels', () => {
  test('one that is archived meanwhile: who asked is told directly how it ended', async () => {
    const place = await start();
    add(place);
    await card(place);
    place.slack.setChannel({ id: OPS_CHANNEL, archived: true });
    place.jobs.change('abcdefghij', served, ended);
    await allShown(place);
    const direct = place.slack.messages(`D${OPERATOR.slice(1)}`);
    expect(direct[0]?.text).toMatch(/^spark UP/);
  });

  test('one that is renamed: nothing changes', async () => {
    const place = await start();
    add(place);
    const { ts } = await card(place);
    place.slack.setChannel({ id: OPS_CHANNEL, name: 'renamed' });
    place.jobs.change('abcdefghij', served, ended);
    await allShown(place);
    expect(replies(place)).toEqual([expect.stringMatching(/^spark UP/)]);
    expect(place.slack.messages(OPS_CHANNEL)[0]?.ts).toBe(ts);
  });

  test('a private one that the bot is in', async () => {
    const place = await start();
    const members = new Set([OPERATOR, BOT.userId]);
    place.slack.setChannel({ id: PRIVATE_CHANNEL, name: 'secret', kind: 'private', members, archived: false });
    await place.ask(OPERATOR, '/spark deploy qwen35 on spark', PRIVATE_CHANNEL);
    await card(place, PRIVATE_CHANNEL);
    place.slack.fault('chat.postMessage', { status: 500, applied: true });
    place.jobs.change('uid142', served, ended);
    await allShown(place);
    expect(replies(place, PRIVATE_CHANNEL)).toEqual([expect.stringMatching(/^spark UP/)]);
    expect(place.slack.messages(OPS_CHANNEL)).toEqual([]);
  });

  test('a private one that the bot is not in, and one where it is no more: what to do, and nothing starts', async () => {
    const place = await start();
    const members = new Set([OPERATOR]);
    place.slack.setChannel({ id: PRIVATE_CHANNEL, name: 'secret', kind: 'private', members, archived: false });
    for (const channel of [PRIVATE_CHANNEL, OTHER_CHANNEL]) {
      expect(await place.ask(OPERATOR, '/spark deploy qwen35 on spark', channel)).toContain('/invite @sparkops');
    }
    expect(place.jobs.calls).toEqual([]);
  });

  test('direct messages: looking is answered, a deploy is sent to where everyone sees it', async () => {
    const place = await start();
    const channel = `D${OPERATOR.slice(1)}`;
    const members = new Set([OPERATOR, BOT.userId]);
    place.slack.setChannel({ id: channel, name: 'directmessage', kind: 'dm', members, archived: false });
    expect(await place.ask(OPERATOR, '/spark status', channel)).toBe('No cluster is configured.');
    expect(await place.ask(OPERATOR, '/spark deploy qwen35 on spark', channel)).toContain(
      'Type it in a channel that I am in',
    );
    expect(place.jobs.calls).toEqual([]);
  });

  test('a card that is deleted together with its thread: a new one has what comes after', async () => {
    const place = await start();
    add(place);
    const { ts } = await card(place);
    place.jobs.change('abcdefghij', loading, note('first'));
    await place.slack.until(() => replies(place).length === 1);
    place.slack.deleteMessage(OPS_CHANNEL, ts);
    place.jobs.change('abcdefghij', served, ended);
    await allShown(place);
    const tops = place.slack.messages(OPS_CHANNEL).filter(({ subtype }) => subtype === undefined);
    expect(tops.at(-1)?.text).toMatch(/^spark UP/);
    expect(place.slack.thread(OPS_CHANNEL, tops.at(-1)?.ts ?? '').at(-1)?.text).toMatch(/^spark UP/);
  });
});

test('a button of an old card, pressed by anyone: an answer, and nothing happens', async () => {
  const place = await start();
  add(place);
  const { ts } = await card(place);
  place.jobs.records.delete('abcdefghij');
  await place.slack.click(VIEWER, ts, 'logs');
  expect((await place.slack.until(() => place.slack.ephemerals(VIEWER)[0])).text).toContain('no longer know');
});
