import { describe, expect, onTestFinished, test } from 'vitest';
import type { Approval } from '../../../src/jobs/approval/approval.ts';
import { APPROVER, OPERATOR, OPS_CHANNEL } from '../../../src/local/slack/people.ts';
import { workplace, type Workplace, type WorkplaceOptions } from '../support/bot.ts';
import { aRequest, waiting } from '../support/fake-approvals.ts';
import { aRecord, at, phasesUpTo } from '../support/records.ts';

async function start(options?: WorkplaceOptions): Promise<Workplace> {
  const place = await workplace(options);
  onTestFinished(place.stop);
  return place;
}

const team = 'T0LOCAL0001';
const view = { channel: OPS_CHANNEL, user: OPERATOR, team };
const asked = { kind: 'approval-asked', id: 1, action: 'deploy', by: { team, user: OPERATOR } } as const;
const yes = { kind: 'approved', at: at(60), by: [{ team, user: APPROVER }], when: 'now' } as const;
const REQUEST = "spark: stop qwen35 for <@U0OPERATOR1>'s glm47?";

function ask({ jobs }: Workplace, approval = aRequest()): void {
  jobs.add(aRecord({ recipe: 'glm47' }), view);
  jobs.change('abcdefghij', waiting({}, approval), asked);
}

function decide({ jobs }: Workplace, decision: NonNullable<Approval['decision']>, approval = aRequest()): void {
  jobs.change(
    'abcdefghij',
    { approval: { ...approval, decision } },
    { kind: 'approval-decided', id: approval.id, decision },
  );
}

function firsts({ slack }: Workplace): string[] {
  return slack.messages(OPS_CHANNEL).map(({ text }) => text.split('\n')[0] ?? '');
}

async function request(place: Workplace, begins = REQUEST) {
  return place.slack.until(() => place.slack.messages(OPS_CHANNEL).find(({ text }) => text.startsWith(begins)), 12_000);
}

describe('a request for approval', () => {
  test('is a message of its own, that mentions who decides, and is edited once it is decided', async () => {
    const place = await start();
    ask(place);
    const { ts, text, thread_ts: thread } = await request(place);
    expect(thread).toBeUndefined();
    expect(text.split('\n')[0]).toBe(`${REQUEST} 3 running, down about 16 min. <@U0APPROVER1>`);
    decide(place, yes);
    await place.slack.until(() => firsts(place).some((line) => line.startsWith('spark APPROVED by <@U0APPROVER1>')));
    const edited = place.slack.messages(OPS_CHANNEL).find((message) => message.ts === ts);
    expect(edited?.text).toContain('APPROVED by <@U0APPROVER1>');
    expect(JSON.stringify(edited?.blocks)).not.toContain('action_id');
    expect(firsts(place)).toHaveLength(2);
    expect(place.slack.violations).toEqual([]);
  });

  test('shows each of several votes', async () => {
    const place = await start();
    const terms = { ...aRequest().terms, required: 2 };
    ask(place, aRequest({ terms }));
    await request(place);
    const votes = [{ by: { team, user: APPROVER }, at: at(50), when: 'now' as const }];
    place.jobs.change(
      'abcdefghij',
      { approval: aRequest({ terms, votes }) },
      { kind: 'approval-vote', id: 1, by: { team, user: APPROVER }, when: 'now' },
    );
    await expect.poll(() => place.texts().join(), { timeout: 10_000 }).toContain('1 of 2 agreed: <@U0APPROVER1>.');
  });

  test('that was posted though Slack answered 500 is not posted again', async () => {
    const place = await start();
    place.jobs.add(aRecord({ recipe: 'glm47' }), view);
    await place.slack.until(() => place.slack.messages(OPS_CHANNEL)[0]);
    place.slack.fault('chat.postMessage', { status: 500, applied: true });
    // It is looked for from when it was asked on.
    const approval = aRequest({ at: new Date().toISOString() });
    place.jobs.change('abcdefghij', waiting({}, approval), asked);
    await request(place);
    decide(place, yes, approval);
    await place.slack.until(() => firsts(place).some((line) => line.startsWith('spark APPROVED')), 12_000);
    expect(firsts(place)).toHaveLength(2);
  });

  test('is posted once and edited by the process that goes on', async () => {
    const place = await start();
    ask(place);
    await request(place);
    await place.bot.stop();
    decide(place, yes);
    await place.restart();
    await place.slack.until(() => firsts(place).some((line) => line.startsWith('spark APPROVED')));
    expect(firsts(place)).toHaveLength(2);
  });

  test('is posted once by two processes', async () => {
    const place = await start();
    const other = await start({ jobs: place.jobs });
    ask(place);
    const posts = () => [...firsts(place), ...firsts(other)].filter((line) => line.startsWith('spark: stop'));
    await expect.poll(() => posts(), { timeout: 10_000 }).toHaveLength(1);
    decide(place, yes);
    await expect
      .poll(() => [...firsts(place), ...firsts(other)].some((line) => line.startsWith('spark APPROVED')), {
        timeout: 10_000,
      })
      .toBe(true);
    expect(posts()).toEqual([]);
  });

  test('that somebody deleted is posted again as long as it is open', async () => {
    const place = await start();
    ask(place);
    place.slack.deleteMessage(OPS_CHANNEL, (await request(place)).ts);
    place.jobs.change('abcdefghij', { note: 'for the demo' });
    expect((await request(place)).text).toContain('for the demo');
  });

  test('to cancel what runs is another message, and a no is told to who asked', async () => {
    const place = await start();
    ask(place);
    await request(place);
    decide(place, yes);
    await place.slack.until(() => firsts(place).some((line) => line.startsWith('spark APPROVED')));
    const cancel = aRequest({ id: 2, action: 'cancel', by: { team, user: APPROVER } });
    const running = { state: 'running', phase: 'load', phases: phasesUpTo('load'), pastReturnAt: at(70) } as const;
    place.jobs.change('abcdefghij', { ...running, approval: cancel }, { ...asked, id: 2, action: 'cancel' });
    await request(place, 'spark: cancel glm47 (#142) for <@U0APPROVER1>?');
    expect(firsts(place).filter((line) => line.startsWith('spark APPROVED'))).toHaveLength(1);
    decide(place, { kind: 'denied', at: at(90), by: { team, user: OPERATOR }, why: 'it is nearly up' }, cancel);
    await place.slack.until(() =>
      firsts(place).some((line) =>
        line.startsWith('spark: #142 is not cancelled, DENIED by <@U0OPERATOR1>. <@U0APPROVER1>'),
      ),
    );
    await place.slack.until(() =>
      firsts(place).some((line) => line.startsWith('spark DENIED by <@U0OPERATOR1>: cancel')),
    );
  });

  test('that was decided alone is told to everybody who was skipped, in a new message', async () => {
    const place = await start();
    ask(place);
    await request(place);
    decide(place, { ...yes, by: [{ team, user: OPERATOR }], glass: { reason: 'nobody answers' } });
    const told = await place.slack.until(() => place.texts().find((text) => text.startsWith('spark BREAK GLASS: ')));
    expect(told.split('\n')).toEqual([
      "spark BREAK GLASS: stop qwen35 for <@U0OPERATOR1>'s glm47, approved by <@U0OPERATOR1> alone. <@U0APPROVER1>",
      'Reason: "nobody answers"',
      'You were not waited for. It is in the audit.',
    ]);
    expect(place.slack.violations).toEqual([]);
  });

  test('whose blocks Slack refuses stands there as text, with what to type', async () => {
    const place = await start();
    place.jobs.add(aRecord({ recipe: 'glm47' }), view);
    await place.slack.until(() => place.slack.messages(OPS_CHANNEL)[0]);
    place.slack.fault('chat.postMessage', { error: 'invalid_blocks' });
    place.jobs.change('abcdefghij', waiting(), asked);
    expect((await request(place)).text).toContain('Or type `/spark approve 142`');
  });
});
