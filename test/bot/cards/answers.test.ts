import { describe, expect, test } from 'vitest';
import { logsAnswer, refusal } from '../../../src/bot/cards/answers.ts';
import { statusAnswer } from '../../../src/bot/cards/status-answer.ts';
import type { ClusterStatus, NodeStatus } from '../../../src/jobs/jobs.ts';
import { expectFits, liveMarkup } from '../support/expect-fits.ts';
import { aRecord, at, phasesUpTo, serving, START } from '../support/records.ts';

const now = new Date(at(960 + 9 * 86_400));

function node(change: Partial<NodeStatus> = {}): NodeStatus {
  return {
    node: 'spark1',
    role: 'head',
    address: '10.1.230.180',
    gpu: 'GB10, 45 W, 61 °C, 96 % busy',
    containers: [],
    foreign: [],
    ...change,
  };
}

function cluster(change: Partial<ClusterStatus> = {}): ClusterStatus {
  return {
    cluster: 'spark',
    description: '',
    channels: [],
    serving: [],
    nodes: [node()],
    engines: [],
    lookedAt: START,
    ...change,
  };
}

describe('status', () => {
  const containers = [
    { name: 'sparkops-abcdefghij-spark1', deployment: 'abcdefghij', running: true, since: START, engine: true },
  ];
  const free = cluster();
  const up = cluster({
    cluster: 'spark-a',
    serving: [serving({ cluster: 'spark-a' })],
    nodes: [node({ containers })],
    engines: [{ uid: 'abcdefghij', health: 'ok', text: '3 running, 26 tok/s' }],
  });
  const busy = cluster({
    cluster: 'spark-c',
    busy: aRecord({
      state: 'running',
      phase: 'load',
      phases: phasesUpTo('load'),
      progress: { stage: 'weights', percent: 53 },
    }),
  });
  const down = cluster({
    cluster: 'spark-b',
    serving: [serving({ cluster: 'spark-b' })],
    engines: [{ uid: 'abcdefghij', health: 'silent', text: 'no answer on port 8000 in 5 s' }],
  });
  const unread = cluster({
    cluster: 'spark-d',
    nodes: [node({ problem: 'spark1 does not answer on port 22', containers: [] })],
  });

  test('one cluster: its line first, then its nodes', () => {
    const message = statusAnswer([up], now);
    expectFits(message);
    expect(message.text.split('\n').slice(0, 3)).toEqual([
      'spark-a OK: qwen35 (#142), 3 running, 26 tok/s, up 9 days',
      'http://10.1.230.180:8000/v1, model qwen35',
      'spark1 (head, 10.1.230.180): GB10, 45 W, 61 °C, 96 % busy; engine of qwen35 (#142) since <!date^1796126400^{time}|12:00 UTC>',
    ]);
    expect(message.text).toContain('Looked at <!date^1796126400^{time}|12:00 UTC>.');
  });

  test('several: the worst first', () => {
    const message = statusAnswer([free, up, busy, down, unread], now);
    expectFits(message);
    expect(message.text.split('\n').slice(0, 6)).toEqual([
      '5 clusters: spark-b SILENT, spark-d UNREADABLE, spark-c loading, spark-a ok, spark free.',
      'spark-b SILENT: qwen35 (#142), no answer on port 8000 in 5 s',
      "spark-d UNREADABLE: spark1 can't be read",
      'spark-c LOADING: qwen35 (#142), load, weights, 53 %',
      'spark-a OK: qwen35 (#142), 3 running, 26 tok/s, up 9 days',
      'spark FREE: nothing serves',
    ]);
  });

  test('an attempt that waits for approval leaves the word to what serves', () => {
    const waiting = aRecord({ number: 143, recipe: 'glm47', state: 'waiting-approval', phase: 'approval' });
    const [overWhatServes] = statusAnswer([{ ...up, busy: waiting }], now).text.split('\n');
    expect(overWhatServes).toBe(
      'spark-a WAITING: glm47 (#143) for approval; qwen35 (#142), 3 running, 26 tok/s, up 9 days',
    );
    const [onProtected] = statusAnswer([cluster({ busy: waiting })], now).text.split('\n');
    expect(onProtected).toBe('spark WAITING: glm47 (#143) for approval; nothing serves');
  });

  test('without the store it says so and still tells of the nodes', () => {
    const message = statusAnswer([cluster({ storeProblem: 'away', nodes: [node({ containers })] })], now);
    expect(message.text.split('\n').slice(0, 3)).toEqual([
      "I can't reach my store, so I change nothing. Models keep serving.",
      "spark RUNS: sparkops-abcdefghij-spark1, which the store can't explain now",
      'The store: away',
    ]);
  });

  test('forty clusters with wordy nodes still fit', () => {
    const wordy = cluster({ nodes: Array.from({ length: 8 }, () => node({ gpu: '<!here>'.repeat(40), containers })) });
    const message = statusAnswer(
      Array.from({ length: 40 }, (_, index) => ({ ...wordy, cluster: `spark-${index}` })),
      now,
    );
    expectFits(message);
    expect(liveMarkup(message)).toEqual([]);
  });
});

describe('logs', () => {
  test('the last lines in a code block', () => {
    const message = logsAnswer({
      cluster: 'spark',
      number: 142,
      node: 'spark1',
      source: "the engine's log",
      lines: ['a', 'b <!here>'],
    });
    expectFits(message);
    expect(message.text).toBe(
      "spark (#142): last 2 lines of the engine's log on spark1.\n```\na\nb &lt;!here&gt;\n```",
    );
  });

  test('200 long lines are cut to the newest that fit', () => {
    const lines = Array.from({ length: 200 }, (_, index) => `${index + 1} ${'x'.repeat(300)}`);
    const message = logsAnswer({ cluster: 'spark', node: 'spark1', source: 'the log', lines });
    expectFits(message);
    expect(message.text).toContain('\n200 xxx');
    expect(message.text).toMatch(/^spark: last \d+ lines of the log on spark1\./);
  });

  test('nothing runs and nothing ran', () => {
    const nothing = 'Nothing runs on spark, and no deployment is recorded.';
    expect(logsAnswer({ cluster: 'spark', node: 'spark1', source: '', lines: [], nothing }).text).toBe(nothing);
  });

  test('of those that were asked for, or none', () => {
    const found = { cluster: 'spark', node: 'spark1', source: 'the engine', searched: 5_000 };
    expect(logsAnswer({ ...found, lines: ['a', 'b'] }).text).toContain(
      'last 2 lines that were asked for of the engine',
    );
    expect(logsAnswer({ ...found, lines: [] }).text).toBe(
      'spark: no such line among the last 5000 of the engine on spark1.',
    );
  });

  test('nothing there yet', () => {
    expect(logsAnswer({ cluster: 'spark', node: 'spark1', source: 'the log', lines: [] }).text).toBe(
      'spark: the log on spark1 is empty.',
    );
  });
});

describe('refusals', () => {
  test('what did not happen, why, what to do, and that nothing was changed', () => {
    const busy = { text: 'spark is busy with #142, loading, 53 %.', hint: 'Wait for it, or cancel it.', lines: [] };
    const message = refusal(busy, { not: 'Not started' });
    expectFits(message);
    expect(message.text).toBe(
      'Not started: spark is busy with #142, loading, 53 %.\nWait for it, or cancel it.\nNothing was changed.',
    );
  });

  test('nobody is called', () => {
    const busy = { text: 'spark is busy with #142 of <@U0APPROVER1> <!channel>.', hint: '', lines: [] };
    expect(liveMarkup(refusal(busy, { not: 'Not started' }))).toEqual([]);
  });

  test('nothing is said twice', () => {
    const busy = { text: 'Not started: spark is busy.', hint: 'Nothing was changed.', lines: [] };
    expect(refusal(busy, { not: 'Not started' }).text).toBe('Not started: spark is busy.\nNothing was changed.');
  });
});
