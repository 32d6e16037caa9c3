import { expect, it } from 'vitest';
import { preflight } from '../../../../src/cluster/probes/preflight/preflight.ts';
import { OperatorError } from '../../../../src/errors.ts';
import { fakeMachines } from '../../../support/fake-machines.ts';
import type { FakeScript } from '../../../support/fake-transport.ts';
import { containersAnswer, foreignAnswer, section } from '../../../support/node-answers.ts';
import { renderedPlan } from '../../../support/rendered-plan.ts';

const plan = renderedPlan();
const limits = { signal: AbortSignal.timeout(10_000), limitMs: 5_000 };

function good(node: string, containers = containersAnswer(), others = foreignAnswer()): string {
  const address = node === 'spark1' ? '192.168.200.12' : '192.168.200.13';
  const image = {
    Id: 'sha256:0123456789abcdef',
    RepoDigests: ['x@sha256:aa'],
    Config: { Entrypoint: null, Cmd: ['bash'] },
  };
  return [
    'Welcome to spark1',
    section('docker', ['28.3.3']),
    section('image', ['WARNING: something', JSON.stringify(image)]),
    section('gpus', ['GPU 0: NVIDIA GB10 (UUID: GPU-1)']),
    section('addresses', [
      '1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever preferred_lft forever',
      `2: enp1s0f0np0    inet ${address}/24 brd 192.168.200.255 scope global enp1s0f0np0\\       valid_lft forever`,
    ]),
    section('tool flock', ['/usr/bin/flock']),
    containers,
    others,
  ].join('\n');
}

const byNode =
  (answers: Record<string, string | Error>): FakeScript =>
  ({ node }) =>
    answers[node] ?? good(node);

it('reads each node once and finds nothing wrong', async () => {
  const { machines, transport } = fakeMachines(plan, byNode({}));
  const { rows, imageDigest } = await preflight(plan, machines, limits);
  expect(rows.filter(({ state }) => state !== 'ok')).toEqual([]);
  expect(rows.map(({ node, check }) => `${node} ${check}`)).toEqual([
    'spark1 reach',
    'spark1 docker',
    'spark1 tools',
    'spark1 gpu',
    'spark1 image',
    'spark1 entrypoint',
    'spark1 fabric address',
    'spark1 leftovers',
    'spark1 foreign',
    'spark1 ports',
    'spark2 reach',
    'spark2 docker',
    'spark2 tools',
    'spark2 gpu',
    'spark2 image',
    'spark2 same image',
    'spark2 entrypoint',
    'spark2 fabric address',
    'spark2 leftovers',
    'spark2 foreign',
  ]);
  expect(imageDigest).toBe('x@sha256:aa');
  expect(transport.texts()).toEqual([
    'spark1: sh -s -- lab /home/aurora/.sparkops hellohal2064/vllm-qwen3.5-gb10:latest /home/aurora/models',
    'spark2: sh -s -- lab /home/aurora/.sparkops hellohal2064/vllm-qwen3.5-gb10:latest /home/aurora/models',
  ]);
});

it('tolerates what the options name, but for the ports of the plan', async () => {
  const exporter = { id: 'ab'.repeat(32), name: 'exporter', running: 'true', gpu: 'yes', network: 'host' };
  const taking = { ...exporter, 'arg-port': String(plan.rayPort) };
  const { machines } = fakeMachines(plan, ({ node }) =>
    good(node, containersAnswer(), foreignAnswer([node === 'spark1' ? exporter : taking])),
  );
  const foreign = async (tolerates?: readonly string[]) => {
    const { rows } = await preflight(plan, machines, { ...limits, ...(tolerates && { tolerates }) });
    return rows.filter(({ check }) => check === 'foreign').map(({ node, state }) => `${node} ${state}`);
  };
  expect(await foreign()).toEqual(['spark1 failed', 'spark2 failed']);
  expect(await foreign(['exporter'])).toEqual(['spark1 ok', 'spark2 failed']);
});

it('looks into the image of each node where it may change them', async () => {
  const { machines, transport } = fakeMachines(plan, ({ node, text }) => {
    if (!text.includes('image-programs.sh')) return good(node);
    return node === 'spark1' ? 'missing ray\n' : { exitCode: 125, stderr: 'docker: no space left on device.\n' };
  });
  const { rows } = await preflight(plan, machines, { ...limits, tryImage: true });
  expect(rows.filter(({ state }) => state !== 'ok')).toMatchObject([
    { node: 'spark1', check: 'programs', text: 'the image has no program ray' },
    { node: 'spark2', check: 'programs', short: 'the disk of spark2 is full' },
  ]);
  const [first = ''] = transport.texts().filter((text) => text.includes('image-programs.sh'));
  expect(first).toMatch(/^spark1: flock .*image-programs\.sh sparkops-programs-lab \S+ ray vllm python3$/);

  const stale = fakeMachines(plan, ({ node, text }) =>
    text.includes('image-programs.sh') ? { exitCode: 75 } : good(node),
  );
  await expect(preflight(plan, stale.machines, { ...limits, tryImage: true })).rejects.toMatchObject({
    code: 'stale-fence',
  });
});

it('shows all that is wrong at once, and reads the others when a node is away', async () => {
  const key = new OperatorError('host-key', 'spark2 shows another host key', { hint: 'Compare it.', node: 'spark2' });
  const bare = [
    section('docker', ['28.3.3']),
    section('tool flock', [], 127),
    containersAnswer(),
    foreignAnswer(),
  ].join('\n');
  const { machines } = fakeMachines(plan, byNode({ spark1: bare, spark2: key }));
  const { rows, imageDigest } = await preflight(plan, machines, limits);
  expect(rows.filter(({ state }) => state === 'failed').map(({ node, check }) => `${node} ${check}`)).toEqual([
    'spark1 tools',
    'spark1 gpu',
    'spark1 image',
    'spark1 fabric address',
    'spark2 reach',
  ]);
  expect(rows.find(({ node }) => node === 'spark2')).toEqual({
    node: 'spark2',
    check: 'reach',
    state: 'failed',
    text: 'spark2 shows another host key',
    remedy: 'Compare it.',
    lines: [],
  });
  // Without spark2 nobody knows whose the containers on spark1 are.
  expect(rows.some(({ check }) => check === 'leftovers')).toBe(false);
  expect(imageDigest).toBeUndefined();
});

it('gives a node that says nothing a row of its own before the limit', async () => {
  const { machines } = fakeMachines(plan, ({ node }) =>
    node === 'spark2' ? new Promise(() => undefined) : good(node),
  );
  const { rows } = await preflight(plan, machines, { ...limits, limitMs: 50 });
  expect(rows.find(({ node }) => node === 'spark2')).toMatchObject({
    check: 'reach',
    state: 'failed',
    text: 'spark2 did not answer within 0 s.',
  });
});

it('tells why a fence could not be raised, and reads the node all the same', async () => {
  const finding = { text: 'spark1 has no flock', node: 'spark1', lines: ['flock: not found'], remedy: 'Install it.' };
  const raiseProblems = new Map([['spark1', finding]]);
  const { machines } = fakeMachines(plan, byNode({}), { raiseProblems });
  const { rows } = await preflight(plan, machines, { ...limits, tryImage: true });
  expect(rows[0]).toMatchObject({ node: 'spark1', check: 'reach', state: 'failed', text: 'spark1 has no flock' });
  expect(rows.some(({ check }) => check === 'programs')).toBe(false);
  expect(rows[1]).toMatchObject({ node: 'spark1', check: 'docker', state: 'ok' });

  const away = new OperatorError('login', 'refused', { hint: '' });
  const gone = fakeMachines(plan, byNode({ spark1: away }), { raiseProblems });
  const rest = await preflight(plan, gone.machines, limits);
  expect(rest.rows.filter(({ node }) => node === 'spark1')).toHaveLength(1);
});

it('finds what serves, from the head also for the worker', async () => {
  const serving = containersAnswer(
    [{ name: 'sparkops-old-spark1', uid: 'old', number: 141, engine: 'alive' }],
    [22, 8000],
  );
  const belonging = containersAnswer([{ name: 'sparkops-old-spark2', uid: 'old', number: 141 }]);
  const { machines } = fakeMachines(
    plan,
    byNode({ spark1: good('spark1', serving), spark2: good('spark2', belonging) }),
  );
  const { rows } = await preflight(plan, machines, limits);
  expect(rows.filter(({ state }) => state === 'failed').map(({ text }) => text)).toEqual([
    'spark serves qwen35 (#141)',
  ]);
});

it('proves the way back of what may be replaced, or says what speaks against it', async () => {
  const old = { uid: 'old', number: 141, image: 'sha256:0123456789abcdef' };
  const running = (node: string, disk: number, kept = 0) =>
    containersAnswer(
      [{ ...old, name: `sparkops-old-${node}`, ...(node === 'spark1' && { engine: 'alive' as const, record }) }],
      [22, ...(node === 'spark1' ? [8000, 29_501] : [])],
    ) +
    section(`kept ${old.image}`, ['"sha256:0123456789abcdef"'], kept) +
    section('disk', [
      'Filesystem     1024-blocks      Used  Available Capacity Mounted on',
      `/dev/nvme0n1p2  3844510472 912345678 ${disk}       1% /`,
    ]);
  const record = JSON.stringify({ schema: 1, number: 141, uid: 'old', plan: renderedPlan() });
  const on = async (answers: Record<string, string>) => {
    const { machines, transport } = fakeMachines(plan, byNode(answers));
    const result = await preflight(plan, machines, { ...limits, replacing: true });
    expect(transport.calls).toHaveLength(2);
    return { ...result, row: result.rows.find(({ check }) => check === 'way back') };
  };
  const fine = { spark1: good('spark1', running('spark1', 400e6)), spark2: good('spark2', running('spark2', 90e6)) };

  const proven = await on(fine);
  expect(proven.rows.filter(({ state }) => state !== 'ok')).toEqual([]);
  expect(proven.found).toEqual([
    {
      uid: 'old',
      number: 141,
      recipe: 'qwen35',
      wayBack: {
        proven: true,
        text: 'its plan is known, spark1 and spark2 have its image (0123456789ab), a driver that works, and 92 GB of disk',
      },
    },
  ]);
  expect(proven.rows.filter(({ check }) => check === 'ports').map(({ text }) => text)).toEqual([
    'ports 8000 and 29501 are in use now, judged as if what serves were gone',
  ]);

  const gone = await on({ ...fine, spark2: good('spark2', running('spark2', 1e6, 1)) });
  expect(gone.row).toMatchObject({
    node: 'spark1',
    state: 'warning',
    text: 'qwen35 (#141) may not come back once it is stopped: spark2 no longer has its image (0123456789ab); spark2 has only 1.0 GB of disk left at /',
  });
  const mismatch = 'Failed to initialize NVML: Driver/library version mismatch';
  const upgraded = good('spark2', running('spark2', 90e6)).replace(/# gpus\n.*\n/, `# gpus\n ${mismatch}\n`);
  expect((await on({ ...fine, spark2: upgraded })).row?.text).toContain(
    `the driver on spark2 does not work for a new start: ${mismatch}`,
  );
  const nameless = good('spark1', running('spark1', 400e6).replace(/^ \{"schema.*$/m, ' {'));
  expect((await on({ ...fine, spark1: nameless })).row?.text).toContain('nobody knows how it was started');
});

it('lets an abort and a bug pass', async () => {
  const { machines } = fakeMachines(plan, () => Promise.reject(new TypeError('bug')));
  await expect(preflight(plan, machines, limits)).rejects.toThrow('bug');
  const signal = AbortSignal.abort(new Error('cancelled'));
  await expect(preflight(plan, machines, { ...limits, signal })).rejects.toThrow('cancelled');
});
