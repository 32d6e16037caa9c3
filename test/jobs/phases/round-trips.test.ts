import { afterEach, expect, it } from 'vitest';
import type { PhaseName } from '../../../src/cluster/plan.ts';
import { type Deploying, deployOnPretendSparks } from '../../support/on-pretend-sparks.ts';

let run: Deploying;
afterEach(() => run.stop());

/** Commands to spark1 and spark2. The load phase follows a log for as long as it takes. */
const ROUND_TRIPS: Partial<Record<PhaseName, [number, number]>> = {
  // The facts, and a look into the image.
  preflight: [2, 2],
  // Nothing is interrupted.
  approval: [0, 0],
  'stop-previous': [1, 1],
  // Look, act, look.
  'start-head': [3, 0],
  'start-workers': [0, 3],
  'verify-ray': [1, 0],
  serve: [3, 0],
  // Over HTTP.
  smoke: [0, 0],
};

it('asks each node no more often than a phase needs', async () => {
  run = await deployOnPretendSparks();
  // One command a node raises its fence.
  expect(commandsFrom(0)).toEqual([1, 1]);
  const seen: Partial<Record<PhaseName, number[]>> = {};
  for (const name of run.plan.phases) {
    const from = run.sparks.commands.length;
    expect(await run.phase(name)).toMatchObject({ state: 'done' });
    if (name !== 'load') seen[name] = commandsFrom(from);
  }
  expect(seen).toEqual(ROUND_TRIPS);
});

/** Without the small looks at a container that is waited for: how many depends on the machine's speed. */
function commandsFrom(index: number): number[] {
  const commands = run.sparks.commands.slice(index).filter(({ text }) => !text.startsWith('docker top '));
  return ['spark1', 'spark2'].map((name) => commands.filter(({ node }) => node === name).length);
}
