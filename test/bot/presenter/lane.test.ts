import { expect, test } from 'vitest';
import { END, Lane, PHASE, PROGRESS, type Urgency } from '../../../src/bot/presenter/lane.ts';

const reserves = { 0: 0, 1: 1, 2: 3 };
const never = new AbortController().signal;

/** Tokens that a test hands out. */
function bucket(tokens: number) {
  const state = { tokens };
  const take = async (reserve: number) => {
    if (state.tokens < reserve + 1) return { ok: false as const, waitMs: 5 };
    state.tokens--;
    return { ok: true as const };
  };
  return { state, take };
}

test('the most urgent goes first, then who came first', async () => {
  const { state, take } = bucket(0);
  const lane = new Lane({ take, reserves });
  const went: string[] = [];
  const go = (name: string, urgency: Urgency) => lane.turn(() => urgency, never).then(() => went.push(name));
  const all = [go('progress', PROGRESS), go('phase 1', PHASE), go('phase 2', PHASE), go('end', END)];
  state.tokens = 10;
  await Promise.all(all);
  expect(went).toEqual(['end', 'phase 1', 'phase 2', 'progress']);
});

test('progress leaves three tokens, a phase change one, an end none', async () => {
  const { state, take } = bucket(3);
  const lane = new Lane({ take, reserves });
  const abort = new AbortController();
  const progress = lane.turn(() => PROGRESS, abort.signal);
  await lane.turn(() => PHASE, never);
  await lane.turn(() => PHASE, never);
  const phase = lane.turn(() => PHASE, abort.signal);
  await lane.turn(() => END, never);
  expect(state.tokens).toBe(0);
  abort.abort();
  await expect(progress).rejects.toThrow('Left the lane');
  await expect(phase).rejects.toThrow('Left the lane');
});

test('who becomes more urgent while waiting goes sooner', async () => {
  const { take } = bucket(1);
  const lane = new Lane({ take, reserves });
  let urgency: Urgency = PROGRESS;
  const turn = lane.turn(() => urgency, never);
  urgency = END;
  lane.poke();
  await expect(turn).resolves.toBeUndefined();
});

test('nobody goes while Slack has asked to wait', async () => {
  const { take } = bucket(5);
  const lane = new Lane({ take, reserves });
  lane.pause(60);
  const before = performance.now();
  await lane.turn(() => END, never);
  expect(performance.now() - before).toBeGreaterThan(55);
});

test('a store that is away is asked again', async () => {
  const { take } = bucket(1);
  let asked = 0;
  const lane = new Lane({
    take: (reserve) => (asked++ === 0 ? Promise.reject(new Error('away')) : take(reserve)),
    reserves,
  });
  await lane.turn(() => END, never);
  expect(asked).toBe(2);
});
