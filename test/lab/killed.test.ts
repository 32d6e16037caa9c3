import { afterEach, expect, it } from 'vitest';
import type { PhaseName } from '../../src/cluster/plan.ts';
import { eventually, say } from '../support/place.ts';
import { onHost, running } from './support/lab.ts';
import { type LabPlace, startLabPlace } from './support/lab-place.ts';

let place: LabPlace;
afterEach(async () => {
  expect(place.slack.violations).toEqual([]);
  await place.stop();
});

const PHASES: readonly PhaseName[] = ['start-head', 'start-workers', 'verify-ray', 'serve', 'load', 'smoke'];

it.each(PHASES)('another process finishes a deploy that was killed in %s', async (phase) => {
  place = await startLabPlace();
  const first = await place.product();
  await say(place, '/spark deploy qwen35');
  await eventually(`#1 is in ${phase}`, 120_000, async () => {
    const record = await place.record(1);
    return record?.phases.find(({ name }) => name === phase)?.state === 'running';
  });
  await first.kill9();
  await place.product();
  const record = await place.ended(1, 150_000);

  expect({ state: record.state, cause: record.cause }).toEqual({ state: 'serving' });
  expect(await running()).toEqual({
    spark1: [`sparkops-${record.uid}-spark1`],
    spark2: [`sparkops-${record.uid}-spark2`],
  });
  const log = `${record.plan.nodes[0].paths.run}/serve.log`;
  expect(await onHost('spark1', `grep -c 'Initializing a V1 LLM engine' ${log}`)).toBe('1');
});
