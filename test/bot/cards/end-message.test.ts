import { describe, expect, test } from 'vitest';
import { deploymentCard } from '../../../src/bot/cards/deployment-card.ts';
import { endMessage } from '../../../src/bot/cards/end-message.ts';
import type { Deployment } from '../../../src/jobs/deployment.ts';
import { expectFits, liveMarkup } from '../support/expect-fits.ts';
import { aRequest, interrupted } from '../support/fake-approvals.ts';
import { aRecord, at, failed, phasesUpTo, serving } from '../support/records.ts';

const asker = 'U0OPERATOR1';
const approver = { team: 'T0LOCAL0001', user: 'U0APPROVER1' };

function text(record: Deployment): string {
  const message = endMessage(record, asker);
  expectFits(message);
  return message.text;
}

const undone = phasesUpTo('load').map((phase) => ({ ...phase, state: 'undone' as const }));

test('success', () => {
  expect(text(serving())).toBe(
    [
      'spark UP: qwen35, 27 tok/s, took 16 min. <@U0OPERATOR1>',
      'http://10.1.230.180:8000/v1, model qwen35',
      'First token 0.8 s, 27 tok/s. I asked a question and the answer was right.',
    ].join('\n'),
  );
});

test('failure with its cause, its lines and what to do', () => {
  expect(text(failed())).toBe(
    [
      'spark FAILED: qwen35, spark2 has 97 GB free, the recipe … Nothing serves. <@U0OPERATOR1>',
      'qwen35 failed on spark after 9 min, step load (#142)',
      'Cause: spark2 has 97 GB free, the recipe asks for 103.',
      'Next: Retry with gpu_memory_utilization=0.77.',
      'Cleaned up, logs kept. Nothing serves on spark.',
      'More of its log: `/spark logs 142`',
      '```',
      'Free memory on device cuda:0 (97.0/121.6 GiB) on startup is less than desired',
      '```',
    ].join('\n'),
  );
});

test.each([
  ['A short one.', 'spark FAILED: qwen35, A short one. Nothing serves.'],
  [
    'spark2: example/some-very-long-image-name-without-spaces is not there.',
    'spark FAILED: qwen35, spark2: example/some-very-long-image… Nothing serves.',
  ],
])('the cause is as long as a lock screen: %s', (cause, line) => {
  expect(text(failed({ cause: { text: cause, lines: [] } })).split(' <@')[0]).toBe(line);
});

test.each([
  ['spark2 shows another host key', 'preflight', 'Nothing was changed.'],
  ['Ray on spark1 has the wrong address', 'verify-ray', 'Nothing serves.'],
  ['spark2 ran out of GPU memory', 'load', 'Nothing serves.'],
] as const)('the short form of a cause fits a lock screen: %s', (short, phase, state) => {
  const undone = phasesUpTo(phase).map((one) => (one.state === 'waiting' ? one : { ...one, state: 'undone' as const }));
  const cause = { text: `${'A long sentence. '.repeat(20)}`, short, lines: [] };
  const [line = ''] = text(failed({ cause, phase, phases: undone })).split(' <@');
  expect(line).toBe(`spark FAILED: qwen35, ${short}. ${state}`);
  expect(line.length).toBeLessThanOrEqual(75);
});

test('that nothing was changed is said once', () => {
  const phases = phasesUpTo('preflight', { state: 'failed', endedAt: at(1) });
  const cause = { text: 'spark2 lacks the image.', lines: [] };
  const told = text(failed({ phases, phase: 'preflight', cause }));
  expect(told.match(/Nothing was changed/g)).toHaveLength(1);
});

test('one that a newer attempt has overtaken says nothing of what serves', () => {
  const short = '#143 has acted on spark1 since';
  const cause = { text: `${short}: this record of #142 is older than the nodes`, short, node: 'spark1', lines: [] };
  const replaces = [{ uid: 'cccccccccc', number: 141, recipe: 'small' }];
  const overtaken = failed({ cause, remedy: 'See what serves now.', phases: undone, replaces, replacedBy: 143 });
  expect(text(overtaken)).toBe(
    [
      'spark FAILED: qwen35, #143 has acted on spark1 since. Nothing was removed. <@U0OPERATOR1>',
      'qwen35 failed on spark after 9 min, step load (#142)',
      'Cause: #143 has acted on spark1 since: this record of #142 is older than the nodes.',
      'Next: See what serves now.',
    ].join('\n'),
  );
  expect(JSON.stringify(endMessage(overtaken, asker).blocks)).not.toContain('Bring back');
  const { text: card } = deploymentCard(overtaken, { asker });
  expect(card).toContain('Nothing was removed: what is on spark came after it.');
  expect(card).not.toContain('Nothing serves');
});

test('at most 15 lines are shown, the last ones', () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
  const shown = text(failed({ cause: { text: 'It crashed.', lines } }))
    .split('```')[1]
    ?.trim()
    .split('\n');
  expect(shown).toHaveLength(15);
  expect(shown?.at(-1)).toBe('line 40');
});

describe('the first line decides, on a lock screen too', () => {
  test.each<[string, Deployment]>([
    [
      'spark CANCELLED: qwen35, #142 by <@U0APPROVER1>. Nothing was changed. <@U0OPERATOR1>',
      aRecord({ state: 'cancelled', aborting: { to: 'cancelled', by: approver } }),
    ],
    [
      'spark CANCELLED: qwen35, #142 by <@U0OPERATOR1> after 9 min. Nothing serves.',
      aRecord({
        state: 'cancelled',
        cancelAsked: { by: { ...approver, user: asker }, at: at(500) },
        phases: undone,
        endedAt: at(540),
      }),
    ],
    ['spark STOPPED: qwen35, nothing serves. <@U0OPERATOR1>', serving({ run: 'stop', state: 'stopped' })],
    [
      'spark NOT STOPPED: qwen35 still counts as serving. <@U0OPERATOR1>',
      serving({ run: 'stop', cause: { text: 'spark2 is not reachable.', lines: [] } }),
    ],
    ['spark DIED: qwen35 serves no more. <@U0OPERATOR1>', serving({ state: 'died' })],
    ['spark REPLACED: qwen35, another model serves. <@U0OPERATOR1>', serving({ state: 'replaced' })],
    ['spark FAILED: qwen35. Nothing was changed. <@U0OPERATOR1>', aRecord({ state: 'failed' })],
  ])('%s', (line, record) => {
    expect(text(record).split('\n')[0]).toBe(line);
  });
});

test('lines of a log break nothing and mention nobody', () => {
  const lines = [
    '```',
    '<!channel> <@U0VIEWER001>',
    '````',
    '&lt;!here&gt;',
    'Bearer abcdefghijklmnop',
    '\u001b[31mred\u001b[0m',
  ];
  const message = endMessage(failed({ cause: { text: 'It ```said``` <!here>', lines } }), asker);
  expectFits(message);
  expect(liveMarkup(message)).toEqual(['<@U0OPERATOR1>']);
  expect(message.text.match(/```/g)).toHaveLength(2);
  expect(message.text).not.toContain('abcdefghijklmnop');
  expect(JSON.stringify(message.blocks.at(-2))).toContain('<!channel> <@U0VIEWER001>');
  expect(message.blocks.at(-1)).toMatchObject({ type: 'actions', elements: [{ action_id: 'retry' }] });
});

describe('people did not let it begin: what was said, what serves on, and who hears of it', () => {
  const base = aRecord({ recipe: 'glm47' });
  const votes = [{ by: approver, at: at(60), when: 'now' as const }];
  test.each<[string, Deployment, string[]]>([
    [
      'denied',
      {
        ...base,
        state: 'denied',
        approval: aRequest({ decision: { kind: 'denied', at: at(60), by: approver, why: 'eval run' } }),
      },
      [
        'spark DENIED: glm47 (#142) by <@U0APPROVER1>. Nothing was changed. <@U0OPERATOR1>',
        'DENIED by <@U0APPROVER1> at <!date^1796126460^{time}|12:01 UTC>: eval run.',
        'qwen35 (#140) was not touched and still serves.',
      ],
    ],
    [
      'expired',
      {
        ...base,
        state: 'expired',
        cause: { text: 'Nobody decided in time, so nothing was done.', lines: [] },
        approval: aRequest({ decision: { kind: 'expired', at: at(1_830) } }),
      },
      [
        'spark EXPIRED: glm47 (#142). Nothing was changed. <@U0OPERATOR1>',
        'Nobody decided in time, so nothing was done.',
        'qwen35 (#140) was not touched and still serves.',
      ],
    ],
    [
      'void, after an approval: who agreed hears of it; what serves now is another matter',
      {
        ...base,
        state: 'void',
        cause: { text: 'Nothing was done: llama4 (#141) serves by now', lines: [] },
        approval: aRequest({ votes, decision: { kind: 'void', at: at(60), why: 'llama4 (#141) serves by now' } }),
      },
      [
        'spark VOID: approval of glm47 (#142), nothing was done. <@U0OPERATOR1> <@U0APPROVER1>',
        'VOID at <!date^1796126460^{time}|12:01 UTC>: llama4 (#141) serves by now.',
      ],
    ],
    [
      'void, and nobody was asked',
      {
        ...base,
        state: 'void',
        cause: { text: 'Nothing was done: Ana holds the cluster by now: eval run', lines: [] },
      },
      [
        'spark VOID: approval of glm47 (#142), nothing was done. <@U0OPERATOR1>',
        'Nothing was done: Ana holds the cluster by now: eval run',
      ],
    ],
    [
      'objected',
      {
        ...base,
        state: 'void',
        approval: aRequest({
          decision: {
            kind: 'void',
            at: at(60),
            by: { ...approver, user: 'U0VIEWER001' },
            why: 'its owner objects: 80 % done',
          },
        }),
      },
      [
        'spark VOID: approval of glm47 (#142), nothing was done. <@U0OPERATOR1>',
        'VOID by <@U0VIEWER001> at <!date^1796126460^{time}|12:01 UTC>: its owner objects: 80 % done.',
        'qwen35 (#140) was not touched and still serves.',
      ],
    ],
    [
      'withdrawn',
      {
        ...base,
        state: 'cancelled',
        approval: aRequest({ decision: { kind: 'withdrawn', at: at(60), by: { ...approver, user: asker } } }),
      },
      [
        'spark CANCELLED: glm47 (#142), withdrawn by <@U0OPERATOR1>. Nothing was changed.',
        'qwen35 (#140) was not touched and still serves.',
      ],
    ],
    [
      'a stop that was denied',
      serving({
        run: 'stop',
        action: 'stop',
        approval: aRequest(
          { action: 'stop', decision: { kind: 'denied', at: at(60), by: approver } },
          { interrupts: [interrupted({ number: 142 })] },
        ),
      }),
      [
        'spark NOT STOPPED, DENIED: qwen35 (#142) by <@U0APPROVER1>. Nothing was changed. <@U0OPERATOR1>',
        'DENIED by <@U0APPROVER1> at <!date^1796126460^{time}|12:01 UTC>.',
        'qwen35 (#142) serves on.',
      ],
    ],
  ])('%s', (_, record, lines) => {
    expect(text(record).split('\n')).toEqual(lines);
  });
});

describe('who agreed hears how it ended', () => {
  const approval = aRequest({ decision: { kind: 'approved', at: at(60), by: [approver], when: 'now' } });

  test.each([serving({ approval }), failed({ approval }), aRecord({ state: 'cancelled', approval })])(
    '%#',
    (record) => {
      expect(text(record)).toContain('Approved by <@U0APPROVER1>.');
    },
  );

  test('of a cancel too', () => {
    expect(text(aRecord({ state: 'cancelled', approval: { ...approval, action: 'cancel' } }))).toContain(
      'The cancel was approved by <@U0APPROVER1>.',
    );
  });
});

describe('what to do next', () => {
  const replaces = [{ uid: 'servinguid', number: 140, recipe: 'qwen35' }];
  const expired = { kind: 'expired', at: at(1_830) } as const;

  function buttons(record: Deployment): unknown {
    const block = endMessage(record, asker).blocks.find(({ type }) => type === 'actions');
    const elements: { text: { text: string }; value: string }[] = JSON.parse(
      JSON.stringify(block ?? { elements: [] }),
    ).elements;
    return elements.map((each) => `${each.text.text}: ${each.value}`);
  }

  const byHand = { state: 'void', run: 'stop-foreign', action: 'stop-foreign' } as const;
  const vllm = { node: 'spark1', kind: 'container', name: 'vllm_node', id: 'ab'.repeat(32), ports: [] } as const;

  test.each<[Deployment, string[]]>([
    [failed({ replaces }), ['Retry: abcdefghij', 'Bring back qwen35: rollback 140']],
    [aRecord({ state: 'cancelled', replaces }), ['Bring back qwen35: rollback 140']],
    [failed(), ['Retry: abcdefghij']],
    [aRecord({ state: 'cancelled' }), []],
    [aRecord({ state: 'denied' }), []],
    [aRecord({ state: 'expired' }), ['Ask again: retry 142']],
    [aRecord({ state: 'void', action: 'restart' }), ['Ask again: restart on spark']],
    [aRecord({ state: 'void', action: 'rollback' }), ['Ask again: rollback on spark']],
    [
      serving({ run: 'stop', action: 'stop', approval: aRequest({ action: 'stop', decision: expired }) }),
      ['Ask again: stop on spark'],
    ],
    [
      aRecord({ ...byHand, foreign: [vllm, { ...vllm, node: 'spark2' }] }),
      ['Ask again: stop-foreign vllm_node on spark'],
    ],
    [
      aRecord({ ...byHand, foreign: [{ ...vllm, kind: 'process', id: '4242' }] }),
      ['Ask again: stop-foreign 4242 on spark'],
    ],
    [serving({ replaces }), []],
  ])('%#', (record, expected) => {
    expect(buttons(record)).toEqual(expected);
  });
});

test('early: what served was not touched', () => {
  const found = [interrupted()];
  expect(
    text(aRecord({ recipe: 'glm47', state: 'cancelled', found, aborting: { to: 'cancelled', by: approver } })),
  ).toBe(
    'spark CANCELLED: glm47, #142 by <@U0APPROVER1>. Nothing was changed. <@U0OPERATOR1>\nqwen35 (#140) was not touched and still serves.',
  );
});

test('by what it was replaced', () => {
  expect(text(serving({ state: 'replaced', replacedBy: 143 }))).toBe('spark REPLACED: qwen35, by #143. <@U0OPERATOR1>');
});
