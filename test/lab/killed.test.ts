import { afterEach, expect, it } from 'vitest';
import type { PhaseName } from '../../src/cluster/plan.ts';
import { eventually, say } from '../support/place.ts';
import { hold } from './support/hold.ts';
import { type Host, IMAGE, onHost, running } from './support/lab.ts';
import { type LabPlace, startLabPlace } from './support/lab-place.ts';

let place: LabPlace;
afterEach(async () => {
  expect(place.slack.violations).toEqual([]);
  await place.stop();
});

/** By another process, with nothing started twice. */
async function servesOnce(): Promise<void> {
  const record = await place.ended(1, 150_000);
  expect({ state: record.state, cause: record.cause }).toEqual({ state: 'serving' });
  expect(await running()).toEqual({
    spark1: [`sparkops-${record.uid}-spark1`],
    spark2: [`sparkops-${record.uid}-spark2`],
  });
  const log = `${record.plan.nodes[0].paths.run}/serve.log`;
  expect(await onHost('spark1', `grep -c 'Initializing a V1 LLM engine' ${log}`)).toBe('1');
}

async function isIn(phase: PhaseName): Promise<boolean> {
  const record = await place.record(1);
  return record?.phases.find(({ name }) => name === phase)?.state === 'running';
}

const LONG: readonly PhaseName[] = ['start-workers', 'verify-ray', 'serve', 'load', 'smoke'];

it.each(LONG)('another process finishes a deploy that was killed in %s', async (phase) => {
  place = await startLabPlace();
  const first = await place.product();
  await say(place, '/spark deploy qwen35');
  await eventually(`#1 is in ${phase}`, 120_000, () => isIn(phase));
  await first.kill9();
  await place.product();
  await servesOnce();
});

const LEFTOVER = 'sparkops-leftover-spark2';

// These are over in no time: the kill lands while a node is at a command of theirs.
const SHORT: readonly [PhaseName, Host, string][] = [
  ['preflight', 'spark2', 'image inspect'],
  ['stop-previous', 'spark2', `rm --force ${LEFTOVER}`],
  ['start-head', 'spark1', 'run --user'],
];

it.each(SHORT)(
  'another process finishes a deploy that was killed in %s, at a command on %s',
  async (phase, host, text) => {
    place = await startLabPlace();
    const labels = '--label sparkops.realm=lab --label sparkops.deployment=leftover --label sparkops.number=7';
    await onHost(host, `docker run -d --name ${LEFTOVER} ${labels} --entrypoint sleep ${IMAGE} 600`);
    const first = await place.product();
    const held = await hold(host, text);
    try {
      await say(place, '/spark deploy qwen35');
      await held.reached;
      expect(await isIn(phase)).toBe(true);
      await first.kill9();
    } finally {
      await held.release();
    }
    await place.product();
    await servesOnce();
    expect((await place.record(1))?.phases.find(({ name }) => name === phase)?.attempts).toBeGreaterThan(1);
  },
);
