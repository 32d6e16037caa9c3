import { expect, it } from 'vitest';
import { PHASES } from '../../../src/jobs/phases/all.ts';
import { fakeRun } from '../../support/fake-machines.ts';
import { type ContainerLines, containersAnswer, ID, STARTED } from '../../support/node-answers.ts';
import { renderedPlan } from '../../support/rendered-plan.ts';

const plan = renderedPlan();
const LOG =
  '(EngineCore_DP0 pid=9) ERROR 12-01 10:00:00 [core.py:936] ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n';

const head: ContainerLines = {
  name: 'sparkops-abcdefghij-spark1',
  uid: plan.uid,
  serveStarted: `${ID} ${STARTED}`,
  serveExit: '1',
};

function runWith(worker: ContainerLines[]) {
  return fakeRun(plan, ({ node, text }) => {
    if (text.startsWith('tail ')) return LOG;
    return text.startsWith('sh -s') ? containersAnswer(node === 'spark1' ? [head] : worker) : '';
  });
}

it('names the worker whose container has ended when Ray does not say where an actor died', async () => {
  const worker = { name: 'sparkops-abcdefghij-spark2', uid: plan.uid, running: false, exit: 137 };

  expect(await PHASES.serve.look(runWith([worker]).ctx)).toMatchObject({
    state: 'blocked',
    finding: {
      node: 'spark2',
      text: expect.stringMatching(/^The container on spark2 ended with code 137.*, and the engine went with it\. ray/),
    },
  });
});

it('names one that is gone', async () => {
  expect(await PHASES.serve.look(runWith([]).ctx)).toMatchObject({ state: 'blocked', finding: { node: 'spark2' } });
});
