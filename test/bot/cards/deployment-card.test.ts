import { describe, expect, test } from 'vitest';
import { deploymentCard, formerCard } from '../../../src/bot/cards/deployment-card.ts';
import type { Deployment } from '../../../src/jobs/deployment.ts';
import { expectFits, liveMarkup } from '../support/expect-fits.ts';
import { aRequest, waiting } from '../support/fake-approvals.ts';
import { aPlan, aRecord, allDone, at, failed, phasesUpTo, serving } from '../support/records.ts';

const options = { asker: 'U0OPERATOR1' };
const by = { team: 'T0LOCAL0001', user: 'U0APPROVER1' };

function card(change: Partial<Deployment> = {}) {
  const message = deploymentCard(aRecord(change), options);
  expectFits(message);
  return message;
}

function buttons(record: Deployment): string[] {
  const block = deploymentCard(record, options).blocks.find(({ type }) => type === 'actions');
  return [...JSON.stringify(block ?? '').matchAll(/"action_id":"(\w+)"/g)].map((match) => match[1] ?? '');
}

const loading = aRecord({
  state: 'running',
  phase: 'load',
  phases: phasesUpTo('load'),
  progress: { stage: 'weights', percent: 53, done: 21, total: 39, secondsLeft: 440 },
});

describe('the title has the cluster, the state as a word, and what it is about', () => {
  const stop: Partial<Deployment> = {
    run: 'stop',
    phases: [{ name: 'stop', state: 'running', attempts: 1, startedAt: at(0) }],
  };
  test.each<[string, Deployment]>([
    ['spark QUEUED: qwen35 (#142)', aRecord()],
    ['spark WAITING: glm47 (#142), for approval', waiting()],
    ['spark RESTARTING: qwen35 (#142)', aRecord({ state: 'running', action: 'restart' })],
    ['spark ROLLBACK: qwen35 (#142)', aRecord({ state: 'running', action: 'rollback' })],
    [
      'spark DEPLOYING: qwen35 (#142), past the point of no return',
      aRecord({ state: 'running', pastReturnAt: at(20) }),
    ],
    ['spark DENIED: qwen35 (#142), nothing was changed', aRecord({ state: 'denied' })],
    ['spark EXPIRED: qwen35 (#142), nothing was changed', aRecord({ state: 'expired' })],
    ['spark VOID: qwen35 (#142), nothing was changed', aRecord({ state: 'void' })],
    ['spark STOP WAITS for approval: qwen35 (#142)', aRecord({ ...stop, state: 'waiting-approval' })],
    ['spark REPLACED: qwen35 (#142), by #143', serving({ state: 'replaced', replacedBy: 143 })],
    ['spark DEPLOYING: qwen35 (#142)', aRecord({ state: 'running', phases: phasesUpTo('preflight') })],
    ['spark DEPLOYING: qwen35 (#142), past the point of no return', loading],
    ['spark CANCELLING: qwen35 (#142)', aRecord({ state: 'aborting', aborting: { to: 'cancelled', by } })],
    ['spark FAILING: qwen35 (#142)', aRecord({ state: 'aborting', aborting: { to: 'failed' } })],
    ['spark UP: qwen35, 27 tok/s (#142)', serving()],
    ['spark FAILED: qwen35 at load (#142)', failed()],
    ['spark CANCELLED: qwen35 (#142)', aRecord({ state: 'cancelled' })],
    ['spark REPLACED: qwen35 (#142), another model serves', serving({ state: 'replaced' })],
    ['spark DIED: qwen35 (#142) serves no more', serving({ state: 'died' })],
    ['spark STOPPING: qwen35 (#142)', aRecord({ ...stop, state: 'running' })],
    ['spark STOPPED: qwen35 (#142)', aRecord({ ...stop, state: 'stopped' })],
    ['spark NOT STOPPED: qwen35 (#142)', aRecord({ ...stop, state: 'serving' })],
  ])('%s', (title, record) => {
    const message = deploymentCard(record, options);
    expectFits(message);
    expect(message.text.split('\n')[0]).toBe(title);
    expect(message.blocks[0]).toEqual({ type: 'header', text: { type: 'plain_text', text: title } });
  });
});

test('one task a phase, with its state as a shape and as a word, its duration and what was seen', () => {
  const plan = deploymentCard(loading, options).blocks.find((block) => block.type === 'plan');
  expect(plan?.title).toBe('Step 7 of 8: Load');
  const tasks = (plan?.tasks ?? []).map((task) => `${String(task.status)}: ${String(task.title)}`);
  expect(tasks).toEqual([
    'complete: Preflight, done in 10 s',
    'complete: Stop previous, done in 10 s',
    'complete: Start head, done in 10 s',
    'complete: Start workers, done in 10 s',
    'complete: Verify Ray, done in 10 s',
    'complete: Serve, done in 10 s',
    'in_progress: Load, running',
    'pending: Smoke test, waiting',
  ]);
  const shown = JSON.stringify(plan);
  expect(shown).toContain('saw verify-ray');
  expect(shown).toContain('weights 21 of 39, 53 %, about 8 min left');
  expect(shown).toContain('███████████░░░░░░░░░ 53 %');
});

test('who asked, where, with what, by which configuration; all of it in text too', () => {
  const { text } = card({ plan: aPlan({ overrides: { max_model_len: 8192 } }) });
  expect(text).toContain('Asked by <@U0OPERATOR1> · spark: spark1, spark2 · with max_model_len=8192 · config 1a2b3c4d');
  expect(text).toContain('· Smoke test, waiting');
});

describe('buttons', () => {
  test.each<[string, Deployment, string[]]>([
    ['queued', aRecord(), ['cancel', 'logs']],
    ['a stop', aRecord({ run: 'stop' }), ['logs']],
    ['running', loading, ['cancel', 'logs']],
    ['cancel asked', { ...loading, cancelAsked: { by, at: at(1) } }, ['logs']],
    ['aborting', { ...loading, state: 'aborting' }, ['logs']],
    ['serving', serving(), []],
    ['failed', failed(), ['retry']],
    ['died', serving({ state: 'died' }), ['retry']],
    ['cancelled', aRecord({ state: 'cancelled' }), []],
  ])('%s', (_, record, expected) => {
    expect(buttons(record)).toEqual(expected);
  });

  test('cancel asks first and carries the uid', () => {
    const shown = JSON.stringify(deploymentCard(loading, options).blocks.at(-1));
    expect(shown).toContain('"value":"abcdefghij"');
    expect(shown).toContain('Cancel #142?');
  });
});

describe('an ended card says what became of it', () => {
  test('serving', () => {
    const { text } = deploymentCard(serving(), options);
    expect(text).toContain('http://10.1.230.180:8000/v1, model qwen35');
    expect(text).toContain('First token 0.8 s, 27 tok/s. I asked a question and the answer was right.');
    expect(text).toMatch(/Ended at <!date\^\d+\^\{time\}\|12:16 UTC> after 16 min\./);
  });

  test('failed: what was undone, what never ran, the cause, what next', () => {
    const { text } = deploymentCard(failed(), options);
    expect(text).toContain('↩ Start head, undone');
    expect(text).toContain('✗ Load, FAILED after 8 min');
    expect(text).toContain('· Smoke test, not run');
    expect(text).toContain('Cause: spark2 has 97 GB free, the recipe asks for 103.');
    expect(text).toContain('Next: Retry with gpu_memory_utilization=0.77.');
    expect(text).toContain('Cleaned up, logs kept. Nothing serves on spark.');
  });

  test('a phase that failed stays marked once it is undone', () => {
    const phases = phasesUpTo('start-workers', { state: 'undone', endedAt: at(40), saw: 'Name in use.' });
    const message = deploymentCard(failed({ phases, phase: 'start-workers' }), options);
    expect(message.text).toContain('↩ Start workers, FAILED, undone: Name in use.');
    expect(JSON.stringify(message.blocks)).toContain('"title":"Start workers, FAILED, undone","status":"error"');
  });

  test('a check that a cancel ended was interrupted: there is nothing to undo', () => {
    const phases = phasesUpTo('preflight', { state: 'undone', endedAt: at(1) });
    const { text } = deploymentCard(aRecord({ state: 'cancelled', phases, phase: 'preflight' }), options);
    expect(text).toContain('↩ Preflight, interrupted');
    expect(text).toContain('Nothing was changed.');
  });

  test('stopped before anything was started: it does not say what serves', () => {
    const phases = phasesUpTo('stop-previous', { state: 'failed', endedAt: at(12) });
    const { text } = deploymentCard(failed({ phases, phase: 'stop-previous' }), options);
    expect(text).toContain('Nothing was started.');
    expect(text).not.toContain('Nothing serves');
  });

  test('failed in preflight: nothing was changed', () => {
    const phases = phasesUpTo('preflight', { state: 'failed', endedAt: at(5) });
    expect(deploymentCard(failed({ phases, phase: 'preflight' }), options).text).toContain('Nothing was changed.');
  });

  test('what could not be removed is named', () => {
    const phases = phasesUpTo('load', { state: 'failed', endedAt: at(90) });
    const { text } = deploymentCard(failed({ phases }), options);
    expect(text).toContain('Not everything could be removed (start head, start workers).');
  });

  test('the card of the deploy tells of the stop', () => {
    const stopping = serving({
      run: 'stop',
      state: 'running',
      phases: [{ name: 'stop', state: 'running', attempts: 1 }],
    });
    const messages = [
      stopping,
      { ...stopping, state: 'stopped' as const },
      { ...stopping, state: 'serving' as const },
    ].map((record) => formerCard(record, options));
    messages.forEach(expectFits);
    expect(messages.map(({ text }) => text.split('\n')[0])).toEqual([
      'spark STOPPING: qwen35 (#142)',
      'spark STOPPED: qwen35 (#142)',
      'spark UP: qwen35, 27 tok/s (#142)',
    ]);
  });
});

describe('people are asked', () => {
  const decided = { kind: 'approved', at: at(60), by: [by], when: 'idle' } as const;

  test('it says until when it waits, and how many agreed', () => {
    const { text } = deploymentCard(waiting(), options);
    expect(text).toContain('spark WAITING: glm47 (#142), for approval');
    expect(text).toContain('▸ Approval, waiting for people');
    expect(text).toMatch(/Waits for approval, ends <!date\^\d+\^\{time\}\|12:30 UTC>\./);
    expect(buttons(waiting())).toEqual(['cancel', 'logs']);
    const terms = { ...aRequest().terms, required: 2 };
    expect(deploymentCard(waiting({}, aRequest({ terms })), options).text).toContain('0 of 2 agreed.');
  });

  test('approved when idle: how long it waits for that', () => {
    const { text } = deploymentCard(waiting({}, aRequest({ decision: decided })), options);
    expect(text).toContain('APPROVED by <@U0APPROVER1>');
    expect(text).toContain('Carried out as soon as no request runs');
  });

  test('a step of its own only when somebody was asked, or something was interrupted without', () => {
    const unasked = aRecord({ state: 'running', phase: 'serve', phases: phasesUpTo('serve') });
    expect(deploymentCard(unasked, options).text).not.toContain('Approval');
    expect(JSON.stringify(deploymentCard(unasked, options).blocks)).toContain('Step 6 of 8: Serve');
    const asked = { ...unasked, approval: aRequest({ decision: { ...decided, when: 'now' } }) };
    expect(JSON.stringify(deploymentCard(asked, options).blocks)).toContain('Step 7 of 9: Serve');
    const replaces = [{ uid: 'servinguid', number: 140, recipe: 'qwen35' }];
    expect(deploymentCard({ ...unasked, replaces }, options).text).toContain('✓ Approval, done');
    // A cancel's request is not one of the run.
    expect(deploymentCard({ ...unasked, approval: aRequest({ action: 'cancel' }) }, options).text).not.toContain(
      'Approval,',
    );
  });

  test('a cancel waits for approval while the run goes on', () => {
    const { text } = deploymentCard({ ...loading, approval: aRequest({ action: 'cancel', by }) }, options);
    expect(text).toContain('<@U0APPROVER1> asked to cancel; that waits for approval, ends');
  });

  test('a stop that was denied', () => {
    const denied = { kind: 'denied', at: at(60), by, why: 'eval run' } as const;
    const record = serving({ run: 'stop', approval: aRequest({ action: 'stop', decision: denied }) });
    const { text } = deploymentCard(record, options);
    expect(text).toContain('spark NOT STOPPED: qwen35 (#142)');
    expect(text).toContain('DENIED by <@U0APPROVER1>');
    expect(text).toContain('qwen35 (#142) serves on.');
  });
});

describe('requests are waited for', () => {
  const draining = aRecord({
    run: 'stop',
    state: 'running',
    phase: 'stop',
    phases: [{ name: 'stop', state: 'running', attempts: 1, startedAt: at(0) }],
    drainUntil: at(60),
    progress: { stage: 'waits for 3 requests, 52 s left' },
  });

  test('how many and how long, and [Stop now]', () => {
    expect(deploymentCard(draining, options).text).toContain('▸ Stop, running: waits for 3 requests, 52 s left');
    expect(JSON.stringify(deploymentCard(draining, options).blocks)).toContain('"action_id":"stop-now"');
  });

  test('said to stop now: by whom', () => {
    const message = deploymentCard({ ...draining, stopNow: { by, at: at(5) } }, options);
    expect(message.text).toContain('<@U0APPROVER1> said to stop now: running requests are cut off.');
    expect(JSON.stringify(message.blocks)).not.toContain('stop-now');
  });

  test('nothing is waited for any longer', () => {
    const { progress: _progress, ...removing } = draining;
    expect(JSON.stringify(deploymentCard(removing, options).blocks)).not.toContain('stop-now');
  });
});

test('whose it is, what was forced, and by what it was replaced', () => {
  const forced = { what: ['checks'] as const, reason: 'the disk check is wrong', by };
  const { text } = card({ owner: by, until: at(7_200), note: 'eval run', forced });
  expect(text).toContain('Asked by <@U0OPERATOR1> · of <@U0APPROVER1> · spark: spark1, spark2 · until ');
  expect(text).toContain('FORCED by <@U0APPROVER1>, passing checks: the disk check is wrong');
  const replaced = serving({ state: 'replaced', replacedBy: 143, forced });
  expect(deploymentCard(replaced, options).text).toContain('spark REPLACED: qwen35 (#142), by #143');
  expect(deploymentCard(replaced, options).text).toContain('FORCED by');
  expect(formerCard(replaced, options).text).toContain('FORCED by');
  expect(buttons(replaced)).toEqual([]);
});

test('sections stand in for the plan block', () => {
  const { blocks } = deploymentCard(loading, { ...options, sections: true });
  expect(blocks.map(({ type }) => type)).toEqual(['header', 'context', 'section', 'actions']);
  expect(JSON.stringify(blocks)).toContain('▸ Load, running: weights 21 of 39, 53 %');
});

test('the longest texts and the worst characters fit, mention nobody and give no secret away', () => {
  const nasty =
    '<!channel> <@U0VIEWER001> ```end``` `*_~ & hf_abcdefghijklmnopqrstuvwxyz12345678 \u001b[31mred\n> quote '.repeat(
      40,
    );
  const phases = allDone().map((phase) => ({ ...phase, saw: nasty, attempts: 12 }));
  const record = failed({
    phases: phases.map((phase) => (phase.name === 'load' ? { ...phase, state: 'failed' as const } : phase)),
    cause: { text: nasty, node: nasty, lines: Array.from({ length: 40 }, () => nasty) },
    remedy: nasty,
    plan: aPlan({ overrides: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key${index}`, nasty])) }),
  });
  for (const sections of [false, true]) {
    const message = deploymentCard(record, { ...options, sections });
    expectFits(message);
    expect(liveMarkup(message)).toEqual(['<@U0OPERATOR1>']);
    expect(JSON.stringify(message)).not.toContain('hf_abc');
  }
});
