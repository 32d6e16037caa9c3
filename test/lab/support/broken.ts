import { expect } from 'vitest';
import type { Deployment } from '../../../src/jobs/deployment.ts';
import { approve, answers, eventually, say } from '../../support/place.ts';
import { fault } from './lab.ts';
import type { LabPlace } from './lab-place.ts';

/** Breaks things, and mends what is still broken when it is told to. */
export function breaker() {
  const mend: (() => Promise<void>)[] = [];

  /** Resolves with what mends it again. */
  async function broken(words: readonly string[], mended: readonly string[]): Promise<() => Promise<void>> {
    let whole = false;
    const put = async () => {
      if (whole) return;
      whole = true;
      await fault(...mended);
    };
    mend.push(put);
    await fault(...words);
    return put;
  }

  return {
    broken,
    /** For what no fault mends; the latest first. */
    atEnd: (step: () => Promise<void>): void => void mend.push(step),
    mendAll: async (): Promise<void> => {
      for (const each of mend.splice(0).toReversed()) await each();
    },
  };
}

/** The deployment's record once its engine reads weights. */
export async function loading(place: LabPlace, number: number): Promise<Deployment> {
  return await eventually(`#${number} reads its weights`, 90_000, async () => {
    const record = await place.record(number);
    return record?.phase === 'load' && record.progress?.stage === 'weights' ? record : undefined;
  });
}

export async function expectServing(place: LabPlace, number: number, limitMs = 150_000): Promise<Deployment> {
  const record = await place.ended(number, limitMs);
  expect({ state: record.state, cause: record.cause }).toEqual({ state: 'serving' });
  return record;
}

export async function expectStopped(place: LabPlace, number: number): Promise<void> {
  await answerTo(place, '/spark stop');
  await approve(place, number);
  expect(await place.ended(number, 90_000)).toMatchObject({ run: 'stop', state: 'stopped' });
}

/** What the Operator alone is answered. */
export async function answerTo(place: LabPlace, text: string): Promise<string> {
  const before = answers(place).length;
  await say(place, text);
  await place.slack.until(() => answers(place).length > before, 60_000);
  return answers(place)[before] ?? '';
}
