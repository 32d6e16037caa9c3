import { afterEach, expect, it } from 'vitest';
import type { PhaseName } from '../../src/cluster/plan.ts';
import { cardText, cards, eventually, say, threadText } from '../support/place.ts';
import { hold } from './support/hold.ts';
import { fault, type Host, onHost, running } from './support/lab.ts';
import { type LabPlace, startLabPlace } from './support/lab-place.ts';

let place: LabPlace;
afterEach(async () => {
  for (const host of ['spark1', 'spark2']) await fault('gpu', host, 'ok');
  await place.stop();
});

interface Abort {
  /** Whose undo is at work when the process dies. */
  undoing: PhaseName;
  /** Where it removes its container. */
  host: Host;
  /** The phase that ends the deploy. */
  in: PhaseName;
  /** No GPU there: the phase fails. Otherwise it is cancelled. */
  failsOn?: Host;
}

const ABORTS: Abort[] = [
  { undoing: 'start-head', host: 'spark1', in: 'start-head', failsOn: 'spark1' },
  { undoing: 'start-workers', host: 'spark2', in: 'start-workers', failsOn: 'spark2' },
  { undoing: 'start-head', host: 'spark1', in: 'start-workers', failsOn: 'spark2' },
  { undoing: 'serve', host: 'spark1', in: 'load' },
  { undoing: 'start-workers', host: 'spark2', in: 'load' },
];

it.each(ABORTS)('another process finishes the undo of $undoing, after an end in $in', async (abort) => {
  place = await startLabPlace({ env: { LAB_LOAD_SECONDS: '60' } });
  if (abort.failsOn) await fault('gpu', abort.failsOn, 'nvidia-container-cli: initialization error: driver not loaded');
  const first = await place.product();
  const held = await hold(abort.host, 'rm --force sparkops-');
  try {
    await say(place, '/spark deploy qwen35');
    if (!abort.failsOn) {
      await eventually('#1 loads', 120_000, async () => (await place.record(1))?.phase === 'load');
      await say(place, '/spark cancel 1');
    }
    await held.reached;
    const record = await place.record(1);
    expect(record).toMatchObject({ state: 'aborting', phase: abort.in });
    expect(record?.phases.filter(({ state }) => state === 'undone').map(({ name }) => name)).not.toContain(
      abort.undoing,
    );
    await first.kill9();
  } finally {
    await held.release();
  }
  await place.product();

  const record = await place.ended(1, 120_000);
  expect(record).toMatchObject({ state: abort.failsOn ? 'failed' : 'cancelled', phase: abort.in });
  expect(record.phases.find(({ name }) => name === abort.undoing)?.state).toBe('undone');
  expect(record.cause?.node).toBe(abort.failsOn);
  expect(await running()).toEqual({ spark1: [], spark2: [] });
  for (const host of ['spark1', 'spark2'] as const) expect(await onHost(host, 'docker ps -aq')).toBe('');
  expect(cards(place)).toHaveLength(1);
  const words = `spark ${abort.failsOn ? 'FAILED' : 'CANCELLED'}`;
  expect(cardText(place)).toContain(words);
  expect(threadText(place).split(words)).toHaveLength(2);
  expect(place.slack.violations).toEqual([]);
});
