import { afterEach, expect, it } from 'vitest';
import type { Plan } from '../../src/cluster/plan.ts';
import { eventually, threadText } from '../support/place.ts';
import { onHost, running } from './support/lab.ts';
import { type LabPlace, type LabPlaceOptions, startLabPlace } from './support/lab-place.ts';

// What went wrong in launches by hand, with plans that sparkops itself would not make.

let place: LabPlace;
afterEach(() => place.stop());

async function startPlan(options: LabPlaceOptions, change: (plan: Plan) => Plan): Promise<void> {
  place = await startLabPlace(options);
  await place.admit(change);
  await place.product();
}

async function runPlan(options: LabPlaceOptions, change: (plan: Plan) => Plan) {
  await startPlan(options, change);
  return await place.ended(1, 150_000);
}

/** Instead of verify-ray, what a person does: `ray status` until it answers. */
function unverified(plan: Plan): Plan {
  const argv = [
    'sh',
    '-c',
    'until ray status >/dev/null 2>&1; do sleep 1; done; exec "$@"',
    'sh',
    ...plan.serve.argv,
  ] as const;
  return { ...plan, phases: plan.phases.filter((name) => name !== 'verify-ray'), serve: { ...plan.serve, argv } };
}

/** VLLM_HOST_IP on every node, or nowhere. */
function withHostAddress(plan: Plan, address?: string): Plan {
  const change = (node: Plan['nodes'][0]): Plan['nodes'][0] => {
    const { VLLM_HOST_IP: _, ...env } = node.env;
    return { ...node, env: { ...env, ...(address !== undefined && { VLLM_HOST_IP: address }) } };
  };
  const [head, ...workers] = plan.nodes;
  return { ...plan, nodes: [change(head), ...workers.map(change)] };
}

it('shows the failed rendezvous of a head that is known by its management address', async () => {
  const record = await runPlan({ image: 'drops-node-address' }, (plan) => withHostAddress(unverified(plan)));

  expect(record).toMatchObject({ state: 'failed', phase: 'load' });
  expect(threadText(place)).toContain(
    'The client socket has failed to connect to any network address of (10.1.230.180, ',
  );
  expect(await running()).toEqual({ spark1: [], spark2: [] });
});

it('shows that nodes share one address', async () => {
  const record = await runPlan({}, (plan) => withHostAddress(plan, '192.168.200.12'));

  expect(record).toMatchObject({ state: 'failed', phase: 'load' });
  expect(threadText(place)).toContain('Every node should have a unique IP address');
});

it('names what a placement waits for within 30 s, and does not wait for the engine to give up', async () => {
  await startPlan({ image: 'drops-node-address' }, unverified);
  const asks = 'grep -qs "Creating a new placement group" ~/.sparkops/runs/*/serve.log';
  await onHost('spark1', `timeout 120 sh -c 'until ${asks}; do sleep 0.2; done'`);
  const words =
    'The engine waits for Ray to place it: it asks for a node at 192.168.200.12 with a free GPU, and Ray has none.';
  await eventually('the thread names it', 30_000, () => threadText(place).includes(words));

  const record = await place.ended(1, 60_000);
  expect(record).toMatchObject({ state: 'failed', phase: 'load', cause: { node: 'spark1', text: words } });
});
