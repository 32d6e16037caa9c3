import type { Guards } from './guards.ts';
import { nodeSteps } from './node-steps.ts';
import { keyOf, type World } from './state.ts';
import { workerSteps } from './worker-steps.ts';
import { worldSteps } from './world-steps.ts';

export interface Step {
  /** For people: who does what. */
  label: string;
  next: World;
  /** What must never be. */
  violation?: string;
}

interface Found {
  states: number;
  steps: number;
  /** The longest of the shortest ways to a state. */
  depth: number;
  violation?: { what: string; trace: readonly string[] };
}

/** Visits every state that can be reached, nearest first, and stops at the first that must not be. */
export function search(guards: Guards, start: World): Found {
  const seen = new Set([keyOf(start)]);
  const came: { from: number; label: string }[] = [{ from: -1, label: `${start.redis.claim} is admitted` }];
  let level: { world: World; at: number }[] = [{ world: start, at: 0 }];
  let steps = 0;
  for (let depth = 0; ; depth += 1) {
    const deeper: typeof level = [];
    for (const { world, at } of level) {
      for (const { label, next, violation } of stepsFrom(world, guards)) {
        steps += 1;
        if (violation !== undefined) {
          const trace = [...traceTo(came, at), label];
          return { states: seen.size, steps, depth, violation: { what: violation, trace } };
        }
        const key = keyOf(next);
        if (seen.has(key)) continue;
        seen.add(key);
        deeper.push({ world: next, at: came.push({ from: at, label }) - 1 });
      }
    }
    if (deeper.length === 0) return { states: seen.size, steps, depth };
    level = deeper;
  }
}

function* stepsFrom(world: World, guards: Guards): Generator<Step> {
  yield* workerSteps(world, guards);
  yield* nodeSteps(world, guards);
  yield* worldSteps(world, guards);
}

function traceTo(came: readonly { from: number; label: string }[], at: number): string[] {
  const trace: string[] = [];
  for (let index = at; index >= 0; index = came[index]?.from ?? -1) trace.push(came[index]?.label ?? '');
  return trace.toReversed();
}
