import { expect, it } from 'vitest';
import { type ErrorCode, OperatorError } from '../../../src/errors.ts';
import { onEach } from '../../../src/jobs/phases/on-each.ts';

const fail = (code: ErrorCode, node: string) =>
  new OperatorError(code, `${node} failed.`, { hint: `Look at ${node}.`, node, lines: [`line of ${node}`] });

const run = (...outcomes: (Error | undefined)[]) =>
  onEach(outcomes, async (outcome) => {
    if (outcome) throw outcome;
    return 'fine';
  });

it('gives the results in order', async () => {
  expect(await onEach([3, 1, 2], async (each) => each * 2)).toEqual([6, 2, 4]);
});

it('tells of one failure as it is', async () => {
  const error = fail('command-failed', 'spark1');
  await expect(run(undefined, error)).rejects.toBe(error);
});

it('names each node that failed', async () => {
  await expect(run(fail('command-failed', 'spark1'), fail('command-failed', 'spark2'))).rejects.toMatchObject({
    code: 'command-failed',
    message: 'spark1 failed. spark2 failed.',
    hint: 'Look at spark1. Look at spark2.',
    lines: ['spark1: line of spark1', 'spark2: line of spark2'],
  });
});

it('lets what decides come before what may pass', async () => {
  const stale = fail('stale-fence', 'spark2');
  await expect(run(fail('command-failed', 'spark1'), stale)).rejects.toBe(stale);
  const lasting = fail('command-failed', 'spark2');
  await expect(run(fail('unreachable', 'spark1'), lasting)).rejects.toBe(lasting);
  await expect(run(fail('unreachable', 'spark1'), fail('lock-busy', 'spark2'))).rejects.toMatchObject({
    code: 'unreachable',
  });
  const bug = new TypeError('bug');
  await expect(run(fail('command-failed', 'spark1'), bug)).rejects.toBe(bug);
});
