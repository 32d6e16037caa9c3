import { afterEach, expect, it } from 'vitest';
import { type Deploying, deployOnPretendSparks } from '../../support/on-pretend-sparks.ts';

let running: Deploying | undefined;

afterEach(async () => {
  await running?.stop();
  running = undefined;
});

it('deploys from preflight to a right answer, then stops', async () => {
  running = await deployOnPretendSparks();
  const { plan, phase, rows, progress, kept, sparks } = running;

  for (const name of plan.phases) {
    const began = performance.now();
    const verdict = await phase(name);
    process.stderr.write(`${name} ${Math.round(performance.now() - began)} ms ${JSON.stringify(verdict)}\n`);
    expect(verdict).toMatchObject({ state: 'done' });
  }
  process.stderr.write(JSON.stringify({ rows, progress: progress.slice(-5), kept }, null, 1));
  expect(await phase('stop')).toMatchObject({ state: 'done' });
  expect(sparks.containers('spark1')).toEqual([]);
  process.stderr.write(sparks.commands.map((c) => `${c.node} ${c.text.slice(0, 150)}`).join('\n'));
});
