import { describe, expect, onTestFinished, test } from 'vitest';
import type { Notice, Taken } from '../../src/jobs/notices.ts';
import { ClusterBusy } from '../../src/jobs/refusal.ts';
import { ADMIN, APPROVER, OPERATOR, OPS_CHANNEL, OTHER_CHANNEL, VIEWER } from '../../src/local/slack/people.ts';
import { fakeJobs } from './support/fake-jobs.ts';
import { fakeHolds } from './support/fake-holds.ts';
import { workplace, type Workplace, type WorkplaceOptions } from './support/bot.ts';
import { aRecord } from './support/records.ts';

/** A Tuesday, 13:00 in the local Slack's zone, UTC. */
const NOW = new Date('2026-12-01T13:00:00Z');
const UNTIL = (iso: string) => new RegExp(`<!date\\^${Date.parse(iso) / 1_000}\\^`);

async function start(options: WorkplaceOptions = {}): Promise<Workplace> {
  const jobs = options.jobs ?? fakeJobs(fakeHolds(() => NOW));
  const place = await workplace({ ...options, jobs, bot: { now: () => NOW, ...options.bot } });
  onTestFinished(place.stop);
  return place;
}

/** Types it, and resolves with what the channel is told. */
async function told({ slack, texts }: Workplace, user: string, text: string): Promise<string> {
  const before = texts().length;
  await slack.say(user, OPS_CHANNEL, text);
  return slack.until(() => texts()[before]);
}

describe('hold', () => {
  test('is told to the channel, with its end in the reader zone; its buttons are its typed twins', async () => {
    const place = await start();
    const { slack } = place;
    const text = await told(place, OPERATOR, '/spark hold spark until 18:00 "eval run"');
    expect(text).toMatch(
      /^spark HELD by <@U0OPERATOR1> until <!date.*: eval run\.\nDeploys and stops by others are refused\./,
    );
    expect(text).toMatch(UNTIL('2026-12-01T18:00:00Z'));
    const { ts } = slack.messages(OPS_CHANNEL)[0] ?? { ts: '' };
    await slack.click(OPERATOR, ts, 'extend-hold');
    expect(await slack.until(() => place.texts()[1])).toMatch(UNTIL('2026-12-01T19:00:00Z'));
    await slack.click(OPERATOR, ts, 'release-hold');
    expect(await slack.until(() => place.texts()[2])).toMatch(
      /^spark UNLOCKED: <@U0OPERATOR1> ended the hold, eval run\./,
    );
    expect(slack.violations).toEqual([]);
  });

  test.each([
    ['hold spark for 2h eval run', '2026-12-01T15:00:00Z', 'eval run'],
    ['hold spark reason: on, until and for are words', '2026-12-01T18:00:00Z', 'on, until and for are words'],
    ['hold "eval run" on spark', '2026-12-01T18:00:00Z', 'eval run'],
    ['hold spark "eval run" until 17:30', '2026-12-01T17:30:00Z', 'eval run'],
  ])('%s', async (typed, until, reason) => {
    const place = await start();
    const text = await told(place, OPERATOR, `/spark ${typed}`);
    expect(text).toMatch(UNTIL(until));
    expect(text).toContain(`: ${reason}.`);
  });

  test('what is missing or wrong is said', async () => {
    const { ask } = await start();
    expect(await ask(OPERATOR, '/spark hold spark')).toContain('Say what for');
    expect(await ask(OPERATOR, '/spark hold spark for 2h until 18:00 x')).toContain('Say its end once');
    expect(await ask(OPERATOR, '/spark hold spark for ever x')).toContain('for and extend take a time such as');
    expect(await ask(OPERATOR, '/spark hold spark extend 1h')).toContain('You do not hold spark any more');
    expect(await ask(OPERATOR, '/spark unlock spark')).toContain('Nobody holds spark.');
    expect(await ask(VIEWER, '/spark hold spark x')).toMatch(/^Not held: /);
    expect(await ask(OPERATOR, '/spark freeze power')).toMatch(/^Not frozen: /);
  });

  test('of somebody else: who, until when, what for, and who may end it', async () => {
    const place = await start();
    await told(place, OPERATOR, '/spark hold spark until 18:00 eval run');
    const answer = await place.ask(APPROVER, '/spark hold spark mine');
    expect(answer).toMatch(/^Not held: <@U0OPERATOR1> holds spark until <!date.*, eval run\.\nNothing was changed\.\n/);
    expect(answer).toContain('<@U0OPERATOR1> or an approver can end it: `/spark unlock spark`');
    expect(await told(place, APPROVER, '/spark unlock spark')).toContain(
      "<@U0APPROVER1> ended <@U0OPERATOR1>'s hold, eval run.",
    );
    await told(place, APPROVER, '/spark hold spark mine');
    expect(await place.ask(OPERATOR, '/spark unlock spark')).toMatch(/^Not unlocked: <@U0APPROVER1> holds spark until/);
  });

  test('a freeze is put up and ended by admins', async () => {
    const place = await start();
    expect(await told(place, ADMIN, '/spark freeze until 18:00 power works')).toMatch(
      /^All clusters FROZEN by <@U0ADMIN0001> until <!date.*: power works\.\nDeploys, stops and rollbacks are refused/,
    );
    expect(await told(place, ADMIN, '/spark unfreeze')).toContain('All clusters UNLOCKED');
  });

  test('what was decided is audited with its cluster', async () => {
    const place = await start();
    await told(place, OPERATOR, '/spark hold spark eval run');
    await place.ask(APPROVER, '/spark hold spark mine');
    expect(place.jobs.audits).toMatchObject([
      { what: 'hold spark eval run', cluster: 'spark', decision: 'accepted', change: true },
      { what: 'hold spark mine', cluster: 'spark', decision: 'refused', change: true },
    ]);
  });
});

test('unlock while a job runs offers to cancel it', async () => {
  const jobs = fakeJobs();
  jobs.records.set('uid142', aRecord({ uid: 'uid142', number: 142, state: 'running', phase: 'load' }));
  jobs.unlock = async () => {
    throw new ClusterBusy(
      'Not unlocked',
      'spark',
      aRecord({ uid: 'uid142', number: 142, state: 'running', phase: 'load' }),
    );
  };
  const { ask, slack } = await start({ jobs });
  const answer = await ask(OPERATOR, '/spark unlock spark');
  expect(answer).toMatch(/^Not unlocked: spark is busy with <@U0OPERATOR1>'s qwen35 \(#142\)\.\n/);
  expect(answer).toContain('`/spark cancel 142`');
  const { ts } = slack.ephemerals(OPERATOR)[0] ?? { ts: '' };
  expect(slack.ephemerals(OPERATOR).map(slack.textOf).join('')).toContain('[Cancel #142]');
  await slack.click(OPERATOR, ts, 'cancel');
  await slack.until(() => jobs.calls.includes('cancel 142'));
});

describe('notices', () => {
  const hold = {
    by: { team: 'T0LOCAL0001', user: OPERATOR },
    name: 'Operator',
    reason: 'eval run',
    at: '2026-12-01T10:00:00.000Z',
    until: '2026-12-01T13:15:00.000Z',
  };
  const reminder: Notice = {
    id: 'hold-ends:spark',
    due: NOW.toISOString(),
    channel: OPS_CHANNEL,
    mention: [hold.by],
    body: { kind: 'hold-ends', cluster: 'spark', hold, requests: 204 },
  };

  /** Gives each notice to whoever asks first, and again when it was not told. */
  function given(...notices: readonly Notice[]) {
    const left = new Map<string, { notice: Notice; tries: number; out: boolean }>();
    const add = (notice: Notice) => void left.set(notice.id, { notice, tries: 0, out: false });
    for (const notice of notices) add(notice);
    const jobs = fakeJobs({
      notices: {
        onDue: () => () => undefined,
        take: async () =>
          [...left.values()]
            .filter((each) => !each.out)
            .map((each): Taken => {
              each.out = true;
              return {
                notice: each.notice,
                tries: each.tries,
                keepTries: async (tries) => void (each.tries = tries),
                told: async () => void left.delete(each.notice.id),
              };
            }),
      },
    });
    return { jobs, left, add };
  }

  test('a reminder comes once, to who holds, with what to press and to type', async () => {
    const { jobs, left } = given(reminder);
    const { slack, texts } = await start({ jobs });
    await slack.until(() => left.size === 0);
    expect(texts()).toEqual([
      expect.stringMatching(
        /^Your hold on spark ends in 15 min\. 204 requests in the last hour\. <@U0OPERATOR1>\neval run, until <!date.*\. Longer: `\/spark hold spark extend 1h`$/,
      ),
    ]);
    expect(slack.messages(OPS_CHANNEL).map(slack.textOf).join('')).toMatch(/\[Extend 1 h\].*\[Release\]/);
    expect(slack.violations).toEqual([]);
  });

  test('one whose hold has ended is not posted', async () => {
    const past = { ...hold, until: '2026-12-01T12:59:00.000Z' };
    const { jobs, left } = given({ ...reminder, body: { kind: 'hold-ends', cluster: 'spark', hold: past } });
    const { slack, texts } = await start({ jobs });
    await slack.until(() => left.size === 0);
    expect(texts()).toEqual([]);
  });

  test('sentences of others are told as they are, with whom they concern and buttons that say what they do', async () => {
    const { jobs, left } = given({
      id: 'glass',
      due: NOW.toISOString(),
      channel: OPS_CHANNEL,
      mention: [{ team: '', user: APPROVER }],
      body: {
        kind: 'said',
        lines: ['spark: <!channel> broke the glass.', 'Nobody answered for 10 min.'],
        buttons: [{ label: 'Status', typed: 'status spark' }],
      },
    });
    const { slack, texts } = await start({ jobs });
    await slack.until(() => left.size === 0);
    expect(texts()).toEqual(['spark: &lt;!channel&gt; broke the glass. <@U0APPROVER1>\nNobody answered for 10 min.']);
  });

  test('where the bot is not in the channel, whom it concerns is told directly', async () => {
    const { jobs, left } = given({ ...reminder, channel: OTHER_CHANNEL });
    const { slack } = await start({ jobs });
    await slack.until(() => left.size === 0);
    const posts = slack.apiCalls
      .filter(({ method }) => method === 'chat.postMessage')
      .map(({ args }) => args['channel']);
    expect(posts).toEqual([OTHER_CHANNEL, OPERATOR]);
  });

  test('a post whose answer was lost is found and not repeated', async () => {
    const { jobs, left, add } = given();
    const { slack, texts } = await start({ jobs, bot: { now: () => new Date() } });
    slack.fault('chat.postMessage', { status: 500, applied: true });
    const until = new Date(Date.now() + 900_000).toISOString();
    const body = { kind: 'hold-ends' as const, cluster: 'spark', hold: { ...hold, until } };
    add({ ...reminder, due: new Date().toISOString(), body });
    await slack.until(() => left.size === 0, 20_000);
    expect(texts()).toHaveLength(1);
    expect(slack.apiCalls.filter(({ method }) => method === 'conversations.history')).not.toEqual([]);
  });
});
