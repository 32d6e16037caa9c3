import { expect, it } from 'vitest';
import { containersIn, lookAtContainers } from '../../../src/cluster/probes/containers.ts';
import { parseSections } from '../../../src/cluster/probes/sections.ts';
import { fakeMachines } from '../../support/fake-machines.ts';
import { containersAnswer, ID, section, STARTED } from '../../support/node-answers.ts';
import { renderedPlan } from '../../support/rendered-plan.ts';

const read = (text: string) => containersIn(parseSections(text), 'spark1');

it('reads what a node reports of its containers', () => {
  const text =
    containersAnswer([{ name: 'c', uid: 'u1', number: 141, engine: 'alive', serveStarted: `${ID} ${STARTED}` }]) +
    section('record c', ['{"number":141}']);
  expect(read(text)).toEqual([
    {
      name: 'c',
      id: ID,
      uid: 'u1',
      number: 141,
      recipe: 'qwen35',
      running: true,
      startedAt: STARTED,
      finishedAt: '0001-01-01T00:00:00Z',
      exitCode: 0,
      outOfMemory: false,
      engine: 'alive',
      serveStarted: { id: ID, startedAt: STARTED },
      record: '{"number":141}',
    },
  ]);
});

it('reads how an engine and a container ended', () => {
  const [ended] = read(
    containersAnswer([{ name: 'c', uid: 'u1', running: false, exit: 137, oom: true, serveExit: 'signal 9' }]),
  );
  expect(ended).toMatchObject({
    running: false,
    exitCode: 137,
    outOfMemory: true,
    serveExit: 'signal 9',
    engine: 'none',
  });
  expect(ended).not.toHaveProperty('serveStarted');
});

it('passes over a container that went between the list and the look', () => {
  expect(read(containersAnswer([{ name: 'c', uid: 'u1', problem: 'Error: No such object: c' }]))).toEqual([]);
});

it('does not take silence of Docker for absence', () => {
  expect(() => read(section('containers', ['Cannot connect to the Docker daemon'], 1))).toThrow(
    "spark1 can't list its containers.",
  );
  expect(() => read('')).toThrow("spark1 can't list its containers.");
  expect(() =>
    read(containersAnswer([{ name: 'c', uid: 'u1', problem: 'Cannot connect to the Docker daemon' }])),
  ).toThrow("spark1 can't say what its container c does.");
});

it('asks with one command', async () => {
  const { machines, transport } = fakeMachines(renderedPlan(), () => containersAnswer([], [22, 8000]));
  const look = await lookAtContainers(machines[0], { realm: 'lab', records: true });
  expect(look).toEqual({ survivors: [], containers: [], listeners: ['0.0.0.0:22', '0.0.0.0:8000'] });
  expect(transport.texts()).toEqual(['spark1: sh -s -- lab /home/aurora/.sparkops records']);
  expect(transport.calls[0]?.stdin).toContain('containers "$1" "$2"');
});
