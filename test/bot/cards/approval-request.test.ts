import { describe, expect, test } from 'vitest';
import { approvalRequest } from '../../../src/bot/cards/approval-request.ts';
import { plainText } from '../../../src/bot/cards/plain-text.ts';
import type { Approval, Decision } from '../../../src/jobs/approval/approval.ts';
import type { Deployment } from '../../../src/jobs/deployment.ts';
import { expectFits, liveMarkup } from '../support/expect-fits.ts';
import { aRequest, interrupted, waiting } from '../support/fake-approvals.ts';
import { at } from '../support/records.ts';

const OPERATOR = { team: 'T0LOCAL0001', user: 'U0OPERATOR1' };
const APPROVER = { team: 'T0LOCAL0001', user: 'U0APPROVER1' };
const ADMIN = { team: 'T0LOCAL0001', user: 'U0ADMIN0001' };
const deciders = ['<@U0APPROVER1>', '<!subteam^S0ONCALL001>'];

function request(approval: Approval = aRequest(), change: Partial<Deployment> = {}) {
  const message = approvalRequest(waiting(change, approval), approval, { deciders });
  expectFits(message);
  return message;
}

function text(approval?: Approval, change?: Partial<Deployment>): string {
  return request(approval, change).text;
}

function buttons(approval: Approval): Record<string, unknown>[] {
  const block = request(approval).blocks.find(({ type }) => type === 'actions');
  return JSON.parse(JSON.stringify(block ?? { elements: [] })).elements;
}

test('what dies first, whose it is, how much it is used, for how long nothing serves, and whether it can come back', () => {
  expect(text(aRequest(), { note: 'customer demo 14:00' }).split('\n')).toEqual([
    "spark: stop qwen35 for <@U0OPERATOR1>'s glm47? 3 running, down about 16 min. <@U0APPROVER1> <!subteam^S0ONCALL001>",
    '<@U0OPERATOR1> wants glm47: "customer demo 14:00".',
    'Stops qwen35 (#140), of <@U0VIEWER001>.',
    'Running now: 3. In the last hour: 212. Last request: <!date^1796126396^{date_short_pretty} {time}|2026-12-01 11:59 UTC>.',
    'Way back: proven, image, disk and container are there.',
    'Down about 16 min, as glm47 took here before.',
    'Checks: 31 ok, 1 warning.',
    'Decides: <@U0APPROVER1> and <!subteam^S0ONCALL001>. <@U0VIEWER001> can object. Ends <!date^1796128230^{time}|12:30 UTC>, then nothing is done.',
    'Or type `/spark approve 142`, `/spark deny 142 REASON`',
  ]);
});

describe('the first 45 characters are enough to decide whether to unlock the phone', () => {
  const free = { interrupts: [] };
  test.each<[string, Approval]>([
    ["spark: stop qwen35 for @Ana's glm47? 3 running", aRequest()],
    ['spark: start glm47 for @Ana? @Tom', aRequest({}, { ...free, protected: true })],
    ['spark: stop qwen35 to bring back glm47 for @Ana?', aRequest({ action: 'rollback' })],
    [
      'spark: restart glm47 for @Ana? 3 running',
      aRequest({ action: 'restart' }, { interrupts: [interrupted({ recipe: 'glm47' })] }),
    ],
    ['spark: stop qwen35 to start glm47 again for @Ana?', aRequest({ action: 'restart' })],
    ['spark: stop glm47 for @Ana? 3 running, nothing serves then', aRequest({ action: 'stop' })],
    ['spark: cancel glm47 (#142) for @Ana? nothing serves then', aRequest({ action: 'cancel' })],
    [
      'spark: stop vllm_node on spark1 for @Ana? I did not start it',
      aRequest({ action: 'stop-foreign' }, { ...free, foreign: ['vllm_node on spark1'] }),
    ],
  ])('%s', (line, approval) => {
    const [first = ''] = text(approval).split('\n');
    const shown = first.replaceAll('<@U0OPERATOR1>', '@Ana').replaceAll('<@U0APPROVER1>', '@Tom');
    expect(shown.startsWith(line), shown).toBe(true);
    expect(shown.slice(0, 45)).toMatch(/^spark: (?:stop|start|restart|cancel) \S+/);
  });
});

describe('what is not known is called unknown, and what is bad stands in capitals', () => {
  test('no samples, no history, no way back', () => {
    const {
      running: _running,
      waiting: _waiting,
      requestsLastHour: _hour,
      lastRequestAt: _last,
      ...unseen
    } = interrupted({ wayBack: { proven: false, text: 'the image is gone from spark2' } });
    const { downMs: _down, ...facts } = aRequest({}, { interrupts: [unseen] }).facts;
    const told = text({ ...aRequest(), facts });
    expect(told).toContain('glm47? running now unknown.');
    expect(told).toContain('Running now: unknown. In the last hour: unknown. Last request: unknown.');
    expect(told).toContain('Down for how long: no history of glm47 here.');
    expect(told).toContain('WAY BACK NOT PROVEN: the image is gone from spark2.');
  });

  test('idle for an hour', () => {
    const { lastRequestAt: _last, ...idle } = interrupted({ running: 0, requestsLastHour: 0 });
    expect(text(aRequest({}, { interrupts: [idle] }))).toContain('In the last hour: 0. Last request: none.');
  });

  test('a sick model among others', () => {
    const sick = interrupted({ number: 139, recipe: 'llama4', state: 'wedged' });
    const told = text(aRequest({}, { interrupts: [interrupted(), sick] }));
    expect(told).toContain("stop qwen35 and llama4 for <@U0OPERATOR1>'s glm47? 6 running");
    expect(told).toContain('Stops llama4 (#139), of <@U0VIEWER001>. It is WEDGED.');
  });

  test('what is forced, by whom and why', () => {
    const forced = { what: ['hold', 'checks'] as const, reason: 'demo in ten minutes', by: ADMIN };
    expect(text(aRequest(), { forced })).toContain(
      'FORCED by <@U0ADMIN0001>, passing hold and checks: demo in ten minutes',
    );
  });

  test('a cancel tells whose job it is, and that what served before is gone', () => {
    const told = text(aRequest({ action: 'cancel', by: APPROVER }));
    expect(told).toContain("Cancels <@U0OPERATOR1>'s glm47 (#142), which has been starting since");
    expect(told).toContain('what served before is gone');
  });

  test('foreign ones by name; a protected cluster where nothing is interrupted', () => {
    const facts = { interrupts: [], foreign: ['vllm_node on spark1', 'python3 on spark2'], protected: true };
    const told = text(aRequest({ action: 'stop-foreign' }, facts));
    expect(told).toContain('Stops what I did not start: vllm_node on spark1 and python3 on spark2.');
    expect(told).toContain('Nothing is interrupted, but spark is protected.');
  });
});

describe('buttons', () => {
  const names = (approval: Approval) => buttons(approval).map(({ action_id }) => action_id);

  test('each carries the deployment and the request; approve asks first', () => {
    const [approve, idle, deny, object, withdraw] = buttons(aRequest({ id: 2 }));
    expect(approve).toMatchObject({ action_id: 'approve', value: 'abcdefghij request 2', style: 'primary' });
    expect(JSON.stringify(approve)).toContain('Stop qwen35 on spark now? 3 requests are running.');
    expect(JSON.stringify(approve)).toContain('Stop and switch');
    expect(JSON.stringify(approve)).toContain('Go back');
    expect(idle).toMatchObject({ action_id: 'when-idle', value: 'abcdefghij request 2 idle' });
    expect([deny, object, withdraw].map((each) => each?.['action_id'])).toEqual(['deny', 'object', 'withdraw']);
  });

  test('when idle: only where requests run or ran; object: only where somebody else owns it', () => {
    const { lastRequestAt: _last, ...unused } = interrupted({ running: 0, requestsLastHour: 0, owner: OPERATOR });
    expect(names(aRequest({}, { interrupts: [unused] }))).toEqual(['approve', 'deny', 'withdraw']);
    expect(names(aRequest({ action: 'cancel' }))).toEqual(['approve', 'deny', 'withdraw']);
    expect(names(aRequest({}, { interrupts: [interrupted({ running: 0 })] }))).toContain('when-idle');
  });

  test.each<[Approval, string]>([
    [aRequest({}, { interrupts: [interrupted({ running: 1 })] }), 'Stop qwen35 on spark now? 1 request is running.'],
    [
      aRequest({ action: 'stop' }, { interrupts: [interrupted({ running: 0 })] }),
      'Stop glm47 on spark now? 0 requests are running.',
    ],
    [aRequest({ action: 'cancel' }), 'Cancel glm47 (#142) on spark now? Nothing serves then.'],
    [aRequest({}, { interrupts: [], protected: true }), 'Start glm47 on spark now?'],
  ])('%# asks %s', (approval, question) => {
    expect(JSON.stringify(buttons(approval)[0])).toContain(`"text":"${question}"`);
  });
});

describe('several must agree', () => {
  test('who has, and who is missing', () => {
    const votes = [{ by: APPROVER, at: at(60), when: 'idle' as const }];
    const terms = { ...aRequest().terms, required: 2, onExpiry: 'proceed' as const };
    const told = text(aRequest({ terms, votes }));
    expect(told).toContain('1 of 2 agreed: <@U0APPROVER1> (when idle).');
    expect(told).toContain('2 of <@U0APPROVER1> and <!subteam^S0ONCALL001> decide');
    expect(told).toContain('then it goes ahead');
  });

  test('who may break the glass, and when', () => {
    const terms = { ...aRequest().terms, breakGlass: { afterMs: 600_000, right: 'operator' } };
    expect(plainText(text(aRequest({ terms })))).toContain('From 12:10 UTC on an operator may decide alone');
  });
});

describe('decided: by whom, when and why, and no buttons', () => {
  test.each<[string, string, Decision]>([
    [
      'spark APPROVED by @U0APPROVER1: stop qwen35',
      'APPROVED by @U0APPROVER1 at 12:02 UTC.',
      { kind: 'approved', at: at(120), by: [APPROVER], when: 'now' },
    ],
    [
      'spark APPROVED by @U0APPROVER1 and @U0ADMIN0001: stop',
      'Carried out as soon as no request runs, or not at all after 2026-12-01 20:02 UTC.',
      { kind: 'approved', at: at(120), by: [APPROVER, ADMIN], when: 'idle' },
    ],
    [
      'spark BREAK GLASS by @U0OPERATOR1: stop',
      'BREAK GLASS by @U0OPERATOR1 at 12:02 UTC, alone: "nobody answers"',
      { kind: 'approved', at: at(120), by: [OPERATOR], when: 'now', glass: { reason: 'nobody answers' } },
    ],
    [
      'spark NOBODY DECIDED: stop',
      'Nobody decided in time, so it went ahead at 12:02 UTC.',
      { kind: 'approved', at: at(120), by: [], when: 'now' },
    ],
    [
      'spark DENIED by @U0APPROVER1: stop',
      'DENIED by @U0APPROVER1 at 12:02 UTC: eval run.',
      { kind: 'denied', at: at(120), by: APPROVER, why: 'eval run' },
    ],
    [
      'spark WITHDRAWN by @U0OPERATOR1: stop',
      'WITHDRAWN by @U0OPERATOR1 at 12:02 UTC.',
      { kind: 'withdrawn', at: at(120), by: OPERATOR },
    ],
    ['spark EXPIRED: stop', 'EXPIRED at 12:02 UTC.', { kind: 'expired', at: at(120) }],
    [
      'spark VOID: stop',
      'VOID at 12:02 UTC: llama4 (#141) serves by now.',
      { kind: 'void', at: at(120), why: 'llama4 (#141) serves by now' },
    ],
  ])('%s', (first, line, decision) => {
    const message = request(aRequest({ decision }));
    const lines = plainText(message.text).split('\n');
    expect(lines[0]?.startsWith(first), lines[0]).toBe(true);
    expect(lines).toContain(line);
    expect(lines).toContain('Stops qwen35 (#140), of @U0VIEWER001.');
    expect(message.blocks.some(({ type }) => type === 'actions')).toBe(false);
  });
});

test('what people wrote mentions nobody, and gives no secret away', () => {
  const nasty = '<!channel> <@U0VICTIM001> ```x``` hf_abcdefghijklmnopqrstuvwxyz12345678 & '.repeat(20);
  const message = request(
    aRequest(
      { decision: { kind: 'denied', at: at(1), by: APPROVER, why: nasty } },
      {
        interrupts: [interrupted({ note: nasty, recipe: nasty, wayBack: { proven: false, text: nasty } })],
        foreign: [nasty],
      },
    ),
    { note: nasty, forced: { what: ['hold'], reason: nasty, by: ADMIN } },
  );
  expect(liveMarkup(message).toSorted()).toEqual([
    '<@U0ADMIN0001>',
    '<@U0APPROVER1>',
    '<@U0OPERATOR1>',
    '<@U0VIEWER001>',
  ]);
  expect(JSON.stringify(message)).not.toContain('hf_abc');
});
