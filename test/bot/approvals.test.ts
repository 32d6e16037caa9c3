import { describe, expect, onTestFinished, test } from 'vitest';
import type { Approval } from '../../src/jobs/approval/approval.ts';
import type { Deployment } from '../../src/jobs/deployment.ts';
import { ADMIN, APPROVER, OPERATOR, OPS_CHANNEL, VIEWER } from '../../src/local/slack/people.ts';
import { workplace, type Workplace } from './support/bot.ts';
import { aRequest, waiting } from './support/fake-approvals.ts';
import { fakeJobs } from './support/fake-jobs.ts';
import { aRecord, at, phasesUpTo, serving } from './support/records.ts';

const team = 'T0LOCAL0001';
const view = { channel: OPS_CHANNEL, user: OPERATOR, team };
const now = () => new Date(at(120));
const glass = { ...aRequest().terms, breakGlass: { afterMs: 0, right: 'operator' } };

async function start(jobs = fakeJobs()): Promise<Workplace> {
  const place = await workplace({ jobs, bot: { now } });
  onTestFinished(place.stop);
  return place;
}

/** glm47 (#142) of the Operator waits: qwen35 (#140) of the Viewer would be stopped. */
async function withRequest(approval: Approval = aRequest()): Promise<Workplace & { ts: string }> {
  const place = await start();
  place.jobs.add(waiting({}, approval), view);
  const { ts } = await place.slack.until(() =>
    place.slack.messages(OPS_CHANNEL).find(({ text }) => text.startsWith('spark: stop qwen35')),
  );
  return { ...place, ts };
}

function decision({ jobs }: Workplace): Approval['decision'] {
  return jobs.records.get('abcdefghij')?.approval?.decision;
}

describe('approve', () => {
  test('by the button: who decides may, others hear who does, and nobody approves what they asked for', async () => {
    const place = await withRequest();
    const { slack, ts } = place;
    await slack.click(VIEWER, ts, 'approve');
    const no = await slack.until(() => slack.ephemerals(VIEWER)[0]);
    expect(no.text).toBe(
      'Not approved: Only those who decide may say that of #142.\nAsk one of them.\nThey are: <@U0APPROVER1>\nNothing was changed.',
    );
    await slack.click(APPROVER, ts, 'approve');
    const yes = await slack.until(() => slack.ephemerals(APPROVER)[0]);
    expect(yes.text.split('\n')[0]).toBe("Approved, #142: stop qwen35 for <@U0OPERATOR1>'s glm47.");
    expect(decision(place)).toMatchObject({ kind: 'approved', when: 'now', by: [{ user: APPROVER }] });
    await slack.until(() => place.texts().some((text) => text.startsWith('spark APPROVED by <@U0APPROVER1>')));
    expect(slack.violations).toEqual([]);
  });

  test("of one's own request is refused, also to who may decide", async () => {
    const place = await withRequest(aRequest({ by: { team, user: APPROVER } }));
    expect(await place.ask(APPROVER, '/spark approve 142')).toContain(
      'You asked for it, so somebody else must approve it.',
    );
    expect(decision(place)).toBeUndefined();
  });

  test('typed, and when idle by the button', async () => {
    const place = await withRequest();
    await place.slack.click(APPROVER, place.ts, 'when-idle');
    const answer = await place.slack.until(() => place.slack.ephemerals(APPROVER)[0]);
    expect(answer.text).toMatch(/^Approved when idle, #142: stop qwen35 .*\nNot at all after <!date/);
    expect(decision(place)).toMatchObject({ kind: 'approved', when: 'idle' });
    expect(await place.ask(ADMIN, '/spark approve 142')).toContain('It is decided already: approved.');
  });

  test('a button of an earlier request does not decide the next one', async () => {
    const place = await withRequest();
    place.jobs.change('abcdefghij', { approval: aRequest({ id: 2 }) });
    expect(await place.ask(APPROVER, '/spark approve 142 request 1')).toContain('That request of #142 is over');
    expect(decision(place)).toBeUndefined();
  });

  test('two of two: the second one counts', async () => {
    const place = await withRequest(aRequest({ terms: { ...aRequest().terms, required: 2 } }));
    expect(await place.ask(APPROVER, '/spark approve 142')).toContain('1 of 2 agreed to #142');
    expect(await place.ask(APPROVER, '/spark approve 142')).toContain('You have approved it already; 1 of 2 have.');
    expect(await place.ask(ADMIN, '/spark approve #142')).toContain('Approved, #142');
  });

  test('of what nobody asked, or what there is not', async () => {
    const place = await start();
    place.jobs.records.set('abcdefghij', serving());
    expect(await place.ask(APPROVER, '/spark approve 142')).toContain('Nobody asked for approval of #142.');
    expect(await place.ask(APPROVER, '/spark approve 9')).toContain('There is no deployment #9.');
  });
});

describe('break-glass', () => {
  test('alone, with a reason; everybody who was skipped is told', async () => {
    const place = await withRequest(aRequest({ by: { team, user: ADMIN }, terms: glass }));
    expect(await place.ask(OPERATOR, '/spark approve 142 break-glass')).toContain(
      'Why? Those who are skipped are told.',
    );
    expect(await place.ask(OPERATOR, "/spark approve 142 break-glass reason: nobody answers, it's night")).toContain(
      'Approved by you alone, #142',
    );
    expect(decision(place)).toMatchObject({ glass: { reason: "nobody answers, it's night" } });
    const jobsRecord = place.jobs.records.get('abcdefghij');
    expect(jobsRecord?.approval?.decision?.kind).toBe('approved');
    const told = await place.slack.until(() => place.texts().find((text) => text.startsWith('spark BREAK GLASS: ')));
    expect(told).toContain('approved by <@U0OPERATOR1> alone. <@U0APPROVER1>');
  });

  test('not by who has not the right for it, and not where nobody may', async () => {
    const place = await withRequest(aRequest({ terms: glass }));
    expect(await place.ask(VIEWER, '/spark approve 142 break-glass reason: me')).toContain(
      'You may not decide #142 alone.',
    );
    place.jobs.change('abcdefghij', { approval: aRequest() });
    expect(await place.ask(APPROVER, '/spark approve 142 break-glass reason: me')).toContain(
      'Nobody may decide this alone here.',
    );
    expect(decision(place)).toBeUndefined();
  });
});

describe('deny and object ask for the reason', () => {
  test('deny: the button opens a form, who asked reads the reason', async () => {
    const place = await withRequest();
    const { slack, ts } = place;
    await slack.click(VIEWER, ts, 'deny');
    expect((await slack.until(() => slack.ephemerals(VIEWER)[0])).text).toContain('Not denied: Only those who decide');
    expect(slack.modals(VIEWER)).toEqual([]);
    await slack.click(APPROVER, ts, 'deny');
    const { view: modal } = await slack.until(() => slack.modals(APPROVER)[0]);
    expect(modal.title.text).toBe('Deny #142');
    await slack.submitView(APPROVER, modal.id, { reason: 'an "eval" runs\nuntil 18:00' });
    await slack.until(() => decision(place));
    expect(decision(place)).toMatchObject({
      kind: 'denied',
      by: { user: APPROVER },
      why: "an 'eval' runs until 18:00",
    });
    const end = await slack.until(() => place.texts().find((text) => text.startsWith('spark DENIED: glm47 (#142)')));
    expect(end).toContain("an 'eval' runs until 18:00");
    expect(slack.violations).toEqual([]);
  });

  test('deny, typed: the rest of the line is the reason', async () => {
    const place = await withRequest();
    expect(await place.ask(APPROVER, "/spark deny 142 not before 18:00, it's in use")).toContain(
      'Denied #142: stop qwen35',
    );
    expect(decision(place)).toMatchObject({ kind: 'denied', why: "not before 18:00, it's in use" });
  });

  test('object: its owner alone, by the form', async () => {
    const place = await withRequest();
    const { slack, ts } = place;
    await slack.click(APPROVER, ts, 'object');
    expect((await slack.until(() => slack.ephemerals(APPROVER)[0])).text).toContain(
      'Only the owner of what would be stopped may object.',
    );
    await slack.click(VIEWER, ts, 'object');
    const { view: modal } = await slack.until(() => slack.modals(VIEWER)[0]);
    await slack.submitView(VIEWER, modal.id, { reason: 'my eval is at 80 %' });
    await slack.until(() => decision(place));
    expect(decision(place)).toMatchObject({
      kind: 'void',
      by: { user: VIEWER },
      why: 'its owner objects: my eval is at 80 %',
    });
  });
});

test('withdraw: who asked for it alone', async () => {
  const place = await withRequest();
  await place.slack.click(APPROVER, place.ts, 'withdraw');
  expect((await place.slack.until(() => place.slack.ephemerals(APPROVER)[0])).text).toContain(
    'Only who asked for it may withdraw it.',
  );
  await place.slack.click(OPERATOR, place.ts, 'withdraw');
  await place.slack.until(() => decision(place));
  expect(decision(place)).toMatchObject({ kind: 'withdrawn' });
  await place.slack.until(() =>
    place
      .texts()
      .some((text) =>
        text.startsWith('spark CANCELLED: glm47 (#142), withdrawn by <@U0OPERATOR1>. Nothing was changed.'),
      ),
  );
});

describe('what serves, before it is interrupted', () => {
  const owned: Partial<Deployment> = {
    number: 140,
    uid: 'servinguid',
    owner: { team, user: VIEWER },
    until: at(7_200),
    note: 'eval run',
  };

  async function over(change: Partial<Deployment>, typed = '/spark deploy glm47 on spark'): Promise<string> {
    const place = await start();
    const record = serving(change);
    place.jobs.records.set(record.uid, record);
    return place.ask(OPERATOR, typed);
  }

  test("somebody else's, until later: ask them first", async () => {
    expect(await over(owned)).toMatch(
      /^Deploying glm47 on spark, #142\. The card is in the channel\.\nPlease ask <@U0VIEWER001> first: qwen35 \(#140\) is theirs until <!date.*>, "eval run"\.\nI ask for approval before qwen35 \(#140\) is interrupted\.$/,
    );
    expect(await over(owned, '/spark stop spark')).toContain('Please ask <@U0VIEWER001> first');
    expect(await over(owned, '/spark rollback 140')).toContain('Please ask <@U0VIEWER001> first');
    expect(await over(owned, '/spark restart spark')).toContain('Unless it is down or wedged, I ask for approval');
  });

  test("one's own, or over its time: nobody to ask", async () => {
    expect(await over({ ...owned, owner: { team, user: OPERATOR } })).not.toContain('Please ask');
    expect(await over({ ...owned, until: at(60) })).toBe('Deploying glm47 on spark, #142. The card is in the channel.');
  });
});

describe('restart and rollback', () => {
  test.each([
    ['restart', 'restart ?'],
    ['restart spark', 'restart spark'],
    ['restart on spark', 'restart spark'],
    ['restart #140', 'restart 140'],
    ['rollback 140', 'rollback 140'],
    ['rollback spark force foreign reason: mine anyway', 'rollback spark {"what":["foreign"],"reason":"mine anyway"}'],
  ])('%s', async (typed, call) => {
    const place = await start();
    place.jobs.records.set('servinguid', serving({ uid: 'servinguid', number: 140 }));
    await place.ask(ADMIN, `/spark ${typed}`);
    expect(place.jobs.calls).toEqual([call]);
  });

  test('[Bring back] and [Ask again] do what is typed for them', async () => {
    const place = await start();
    place.jobs.records.set('servinguid', serving({ uid: 'servinguid', number: 140, state: 'replaced' }));
    const replaces = [{ uid: 'servinguid', number: 140, recipe: 'qwen35' }];
    place.jobs.add(aRecord({ number: 141, recipe: 'glm47', state: 'cancelled', replaces, endedAt: at(60) }), view);
    const card = await place.slack.until(() => place.slack.messages(OPS_CHANNEL)[0]);
    await place.slack.click(OPERATOR, card.ts, 'bring-back');
    await expect.poll(() => place.jobs.calls).toEqual(['rollback 140']);
  });
});

describe('force', () => {
  test('admins alone, with a reason, and it stands on the card', async () => {
    const place = await start();
    expect(await place.ask(OPERATOR, '/spark deploy glm47 on spark force hold reason: demo')).toBe(
      'Not started: Only admins may force something.\nAsk one of them.\nThey are: <@U0ADMIN0001>\nNothing was changed.',
    );
    expect(await place.ask(ADMIN, '/spark deploy glm47 on spark force hold')).toContain(
      'Not started: Why? It is told to the channel.',
    );
    expect(await place.ask(ADMIN, '/spark deploy glm47 on spark force all reason: x')).toContain(
      'force takes hold, checks or foreign',
    );
    expect(await place.ask(ADMIN, '/spark deploy glm47 on spark reason: x')).toContain(
      'reason says why something is forced',
    );
    expect(place.jobs.calls).toEqual([]);
    await place.ask(
      ADMIN,
      '/spark deploy glm47 on spark max_model_len=8192 force hold,checks reason: demo in ten minutes',
    );
    expect(place.jobs.calls).toEqual(['deploy glm47 on spark {"max_model_len":"8192"}']);
    await place.slack.until(() =>
      place
        .texts()
        .some((text) => text.includes('FORCED by <@U0ADMIN0001>, passing hold and checks: demo in ten minutes')),
    );
  });
});

describe('a run that goes on', () => {
  test("cancel of somebody else's past the point of no return is a request", async () => {
    const jobs = fakeJobs({
      cancel: async () =>
        aRecord({
          state: 'running',
          pastReturnAt: at(20),
          approval: aRequest({ action: 'cancel', by: { team, user: APPROVER } }),
        }),
    });
    const place = await start(jobs);
    expect(await place.ask(APPROVER, '/spark cancel 142')).toMatch(
      /^#142 is <@U0OPERATOR1>'s and past the point of no return, so I ask for approval to cancel it\.\nThe request is in the channel, and ends <!date.*>\. Until then it goes on\.$/,
    );
  });

  test('stop-now and extend', async () => {
    const place = await start();
    const stop = {
      run: 'stop',
      state: 'running',
      phase: 'stop',
      phases: phasesUpTo('preflight'),
      drainUntil: at(60),
    } as const;
    place.jobs.add(serving({ ...stop, progress: { stage: 'waits for 3 requests, 50 s left' } }), view);
    const card = await place.slack.until(() => place.slack.messages(OPS_CHANNEL)[0]);
    await place.slack.click(OPERATOR, card.ts, 'stop-now');
    await place.slack.until(() => place.slack.ephemerals(OPERATOR)[0]);
    expect(place.jobs.records.get('abcdefghij')?.stopNow?.by.user).toBe(OPERATOR);
    place.jobs.records.set('servinguid', serving({ uid: 'servinguid', number: 140, owner: { team, user: OPERATOR } }));
    expect(await place.ask(OPERATOR, '/spark extend 140 for 1h')).toMatch(
      /^qwen35 \(#140\) on spark is needed until <!date/,
    );
    expect(place.jobs.records.get('servinguid')?.until).toBe(at(3_720));
    expect(await place.ask(OPERATOR, '/spark extend 140')).toContain('Until when?');
    expect(await place.ask(ADMIN, '/spark extend 140 until 18:00')).toContain('Only its owner may say how long');
  });
});
