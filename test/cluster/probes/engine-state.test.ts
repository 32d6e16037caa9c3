import { describe, expect, test } from 'vitest';
import { engineState, type Sample, usage } from '../../../src/cluster/probes/engine-state.ts';

const NOW = Date.UTC(2026, 11, 1, 3, 0, 0);
const MINUTE = 60_000;

/** One look: minutes ago, and what differs from an idle engine. */
function look(minutesAgo: number, seen: Partial<Sample> = {}): Sample {
  return { at: NOW - minutesAgo * MINUTE, running: 0, waiting: 0, tokens: 1_000, requests: 40, watts: 11, ...seen };
}

describe('usage', () => {
  test('without a look nothing is known', () => {
    expect(usage([], NOW)).toEqual({});
  });

  test('an hour that is covered, with bursts between the looks', () => {
    const samples = [look(70, { requests: 10 }), look(61, { requests: 12 }), look(20, { requests: 30 }), look(0)];
    expect(usage(samples, NOW)).toEqual({
      running: 0,
      waiting: 0,
      requests: 28,
      requestsLastHour: 28,
      lastRequestAt: NOW,
      since: NOW - 70 * MINUTE,
    });
  });

  test('an hour that is not covered is unknown, and it says since when it is watched', () => {
    const seen = usage([look(10), look(5, { requests: 44 }), look(1, { requests: 44 })], NOW);
    expect(seen).toMatchObject({ requests: 4, lastRequestAt: NOW - 5 * MINUTE, since: NOW - 10 * MINUTE });
    expect(seen).not.toHaveProperty('requestsLastHour');
  });

  test('none was seen', () => {
    const seen = usage([look(65), look(30), look(0)], NOW);
    expect(seen).toMatchObject({ requestsLastHour: 0 });
    expect(seen).not.toHaveProperty('lastRequestAt');
  });

  test('one that runs is the last request', () => {
    expect(usage([look(2), look(0, { running: 2, waiting: 1, requests: 42 })], NOW)).toMatchObject({
      running: 2,
      waiting: 1,
      lastRequestAt: NOW,
    });
  });

  test('an old look says nothing of now', () => {
    const seen = usage([look(70), look(3, { running: 2, requests: 42 })], NOW);
    expect(seen).toEqual({ since: NOW - 70 * MINUTE, lastRequestAt: NOW - 3 * MINUTE });
  });

  test('counts on when the engine was started anew', () => {
    expect(
      usage([look(62, { requests: 900 }), look(30, { requests: 950 }), look(1, { requests: 7, tokens: 20 })], NOW),
    ).toMatchObject({ requestsLastHour: 57 });
  });
});

describe('engineState', () => {
  const stuck = { running: 2, tokens: 5_000, requests: 42, watts: 22 };

  test.each<[string, Sample[], boolean, string]>([
    ['its process is gone', [look(1)], true, 'down'],
    ['nobody has looked', [], false, 'unknown'],
    ['nobody has looked lately', [look(9, stuck), look(5, stuck)], false, 'unknown'],
    ['idle', [look(4), look(0)], false, 'ok'],
    [
      'requests run and nothing comes for 3 minutes, with little power',
      [look(3, stuck), look(0, stuck)],
      false,
      'wedged',
    ],
    ['for less', [look(2.9, stuck), look(0, stuck)], false, 'ok'],
    ['in one look', [look(0, stuck)], false, 'ok'],
    [
      'tokens come',
      [look(4, stuck), look(2, { ...stuck, tokens: 5_001 }), look(0, { ...stuck, tokens: 5_001 })],
      false,
      'ok',
    ],
    ['none ran in between', [look(4, stuck), look(2, { ...stuck, running: 0 }), look(0, stuck)], false, 'ok'],
    [
      'the GPU works hard: a long prompt',
      [look(4, stuck), look(2, { ...stuck, watts: 30 }), look(0, stuck)],
      false,
      'ok',
    ],
    ['the GPU does not say what it draws', [{ ...bare(4) }, { ...bare(0) }], false, 'unknown'],
    [
      'only waiting ones, none runs',
      [look(4, { ...stuck, running: 0, waiting: 3 }), look(0, { ...stuck, running: 0, waiting: 3 })],
      false,
      'ok',
    ],
  ])('%s', (_, samples, isDown, state) => {
    expect(engineState(samples, NOW, isDown)).toBe(state);
  });

  function bare(minutesAgo: number): Sample {
    const { watts: _, ...sample } = look(minutesAgo, stuck);
    return sample;
  }
});
