import { describe, expect, it } from 'vitest';
import type { OnNode } from '../../../../src/cluster/probes/belonging.ts';
import type { OurContainer } from '../../../../src/cluster/probes/containers.ts';
import type { CheckInput } from '../../../../src/cluster/probes/preflight/check.ts';
import { CHECKS } from '../../../../src/cluster/probes/preflight/checks.ts';
import type { ImageFacts, NodeFacts } from '../../../../src/cluster/probes/preflight/facts.ts';
import { renderedPlan } from '../../../support/rendered-plan.ts';

const plan = renderedPlan();
const [head, worker = head] = plan.nodes;

const image: ImageFacts = { id: 'sha256:0123456789abcdef', repoDigests: ['x@sha256:aa'], entrypoint: [], command: [] };
const facts: NodeFacts = {
  docker: { version: '28.3.3', problem: [] },
  image,
  gpus: ['GPU 0: NVIDIA GB10 (UUID: GPU-1)'],
  gpuProblem: [],
  addresses: [
    { interface: 'enP7s7', address: '10.1.230.180' },
    { interface: 'enp1s0f0np0', address: '192.168.200.12' },
  ],
  listeners: ['0.0.0.0:22'],
  missingTools: [],
  containers: [],
  keptImages: [],
  disks: [],
  others: { foreign: [] },
};

function judge(name: string, changes: Partial<Omit<CheckInput, 'facts'>> & { facts?: Partial<NodeFacts> } = {}) {
  const check = CHECKS.find((each) => each.name === name);
  if (!check) throw new Error(`no check ${name}`);
  const belonging = { own: [], leftovers: [], serving: [] };
  const input = { plan, node: head, head: undefined, belonging, complete: true, forced: new Set<never>(), ...changes };
  return check.judge({
    programs: undefined,
    replacing: false,
    servingPorts: undefined,
    ...input,
    facts: { ...facts, ...changes.facts },
  });
}

function container(node: string, running = true): OnNode {
  const it: OurContainer = {
    name: `sparkops-old-${node}`,
    id: 'f00d',
    uid: 'old',
    number: 140,
    recipe: 'llama',
    running,
    startedAt: '',
    finishedAt: '',
    exitCode: 0,
    outOfMemory: false,
    engine: 'none',
  };
  return { node, container: it };
}

it('tells what the image lacks, and why it could not be tried', () => {
  const wanted = ['ray', 'vllm', 'python3'];
  const programs = (missing: string[]) => judge('programs', { programs: { state: 'looked', wanted, missing } });
  expect(programs([])).toEqual({ state: 'ok', text: 'the image has ray, vllm and python3' });
  expect(programs(['ray'])).toMatchObject({ state: 'failed', text: 'the image has no program ray' });
  expect(programs(['ray', 'vllm'])?.short).toBe('the image has no program ray and vllm');

  const refused = { state: 'not-started', reason: 'the disk is full', short: 'the disk of spark1 is full' } as const;
  expect(judge('programs', { programs: refused })).toMatchObject({
    state: 'failed',
    short: 'the disk of spark1 is full',
    text: 'no container of hellohal2064/vllm-qwen3.5-gb10:latest can be started: the disk is full',
  });
  expect(judge('programs', { programs: { state: 'unknown', why: 'spark1 is away' } })).toMatchObject({
    state: 'warning',
    text: 'could not be looked for: spark1 is away',
  });
  // Another row has told of it.
  expect(judge('programs', { facts: { image: undefined }, programs: refused })).toBeUndefined();
});

it('has a row for everything on a good node', () => {
  const rows = CHECKS.flatMap(({ name }) => {
    const row = judge(name);
    return row ? [`${row.state} ${name}: ${row.text}`] : [];
  });
  expect(rows).toEqual([
    'ok docker: Docker 28.3.3',
    'ok tools: flock, timeout and setsid are there',
    'ok gpu: NVIDIA GB10',
    'ok image: hellohal2064/vllm-qwen3.5-gb10:latest, 0123456789ab',
    'ok entrypoint: none in the image',
    'ok fabric address: 192.168.200.12 on enp1s0f0np0',
    'ok leftovers: none',
    'ok foreign: nothing that others started',
    'ok ports: 8000 and 29501 are free',
  ]);
});

it('sees Docker that does not answer, and then says nothing of the image', () => {
  const docker = { version: '', problem: ['permission denied while trying to connect'] };
  expect(judge('docker', { facts: { docker } })).toMatchObject({
    state: 'failed',
    text: "Docker doesn't answer: permission denied while trying to connect",
    remedy: 'On spark1, as the user sparkops logs in with: docker version',
  });
  expect(judge('docker', { facts: { docker: { version: '', problem: [''] } } })).toMatchObject({ state: 'failed' });
  expect(judge('image', { facts: { docker, image: undefined } })).toBeUndefined();
});

it('sees tools that are missing', () => {
  expect(judge('tools', { facts: { missingTools: ['flock'] } })).toMatchObject({
    state: 'failed',
    text: "flock missing: changes can't be guarded",
  });
});

it('sees a node without a GPU', () => {
  expect(judge('gpu', { facts: { gpus: [], gpuProblem: ['Failed to initialize NVML'] } })).toMatchObject({
    state: 'failed',
    text: 'no GPU: Failed to initialize NVML',
  });
  expect(judge('gpu', { facts: { gpus: [] } })).toMatchObject({ text: 'no GPU: nvidia-smi says nothing' });
});

it('sees a missing image', () => {
  expect(judge('image', { facts: { image: undefined } })).toMatchObject({
    state: 'failed',
    text: 'hellohal2064/vllm-qwen3.5-gb10:latest is not on this node',
    remedy: 'On spark1: docker pull hellohal2064/vllm-qwen3.5-gb10:latest',
  });
});

describe('same image', () => {
  const compare = (here: Partial<ImageFacts>, there: Partial<ImageFacts> | undefined = {}) =>
    judge('same image', {
      node: worker,
      head: { ...facts, image: there && { ...image, ...there } },
      facts: { image: { ...image, ...here } },
    });

  it('is content with the same id or the same digest of a registry', () => {
    expect(compare({})).toEqual({ state: 'ok', text: 'the same as on spark1' });
    expect(compare({ id: 'sha256:other' })).toMatchObject({ state: 'ok' });
  });

  it('refuses different images of a registry', () => {
    expect(compare({ id: 'sha256:fedcba9876543210', repoDigests: ['x@sha256:bb'] })).toEqual({
      state: 'failed',
      short: 'spark2 has another image than spark1',
      text: 'fedcba987654 here, 0123456789ab on spark1',
      remedy: 'On spark2 and spark1: docker pull hellohal2064/vllm-qwen3.5-gb10:latest',
    });
  });

  it('warns of images that each node built for itself', () => {
    expect(compare({ id: 'sha256:fedcba', repoDigests: [] }, { repoDigests: [] })).toMatchObject({
      state: 'warning',
      remedy: expect.stringContaining('docker save'),
    });
  });

  it('says nothing where one of them is not known', () => {
    expect(judge('same image')).toBeUndefined();
    expect(judge('same image', { head: { ...facts, image: undefined } })).toBeUndefined();
    expect(judge('same image', { head: facts, facts: { image: undefined } })).toBeUndefined();
  });
});

it('names the entrypoint that it passes over', () => {
  const own = { ...image, entrypoint: ['/opt/start.sh', 'vllm'], command: ['serve'] };
  expect(judge('entrypoint', { facts: { image: own } })).toMatchObject({
    state: 'warning',
    text: "the image's own (/opt/start.sh vllm, then serve) is passed over: ray is started instead",
  });
  expect(judge('entrypoint', { facts: { image: { ...own, command: [] } } })).toMatchObject({
    text: expect.stringContaining('(/opt/start.sh vllm)'),
  });
  expect(judge('entrypoint', { facts: { image: undefined } })).toBeUndefined();
});

it.each([
  [
    'on another interface',
    [{ interface: 'eth9', address: '192.168.200.12' }],
    '192.168.200.12 is on eth9, not on enp1s0f0np0',
  ],
  [
    'gone, with another in its place',
    [{ interface: 'enp1s0f0np0', address: '169.254.3.4' }],
    'not 192.168.200.12 on enp1s0f0np0: it has 169.254.3.4',
  ],
  ['gone', [], 'not 192.168.200.12 on enp1s0f0np0: enp1s0f0np0 has no IPv4 address'],
])('sees a fabric address that is %s', (_, addresses, text) => {
  expect(judge('fabric address', { facts: { addresses } })).toMatchObject({ state: 'failed', text });
});

it('refuses to start over a live engine', () => {
  const serving = [{ uid: 'old', number: 141, recipe: 'qwen35', node: 'spark1' }];
  const belonging = { own: [], leftovers: [], serving };
  expect(judge('serving', { belonging })).toEqual({
    state: 'failed',
    short: 'it serves qwen35 (#141) already',
    text: 'spark serves qwen35 (#141)',
    remedy: 'Stop it first: stop on spark',
  });
  expect(judge('serving', { belonging, node: worker })).toBeUndefined();
  expect(judge('serving', { belonging, replacing: true })).toEqual({
    state: 'ok',
    text: 'serves qwen35 (#141); is stopped once that is agreed to, and the rest is judged as if it were gone',
  });
});

it('names the leftovers that will be removed', () => {
  const belonging = { own: [], serving: [], leftovers: [container('spark1'), container('spark2')] };
  expect(judge('leftovers', { belonging })).toEqual({
    state: 'ok',
    text: 'will be removed: sparkops-old-spark1 (#140, llama); no engine lives in it',
  });
  expect(judge('leftovers', { belonging, complete: false })).toBeUndefined();
});

describe('ports', () => {
  const listeners = ['0.0.0.0:8000', '192.168.200.12:29501'];

  it('fails for ports that someone else uses', () => {
    expect(judge('ports', { facts: { listeners } })).toMatchObject({
      state: 'failed',
      text: 'ports 8000 and 29501 are in use',
    });
    expect(judge('ports', { facts: { listeners: ['127.0.0.1:8000'] } })).toMatchObject({ text: 'port 8000 is in use' });
  });

  it('judges as if the leftovers were gone', () => {
    const belonging = { own: [], serving: [], leftovers: [container('spark1')] };
    expect(judge('ports', { facts: { listeners }, belonging })).toEqual({
      state: 'ok',
      text: 'ports 8000 and 29501 are in use now, judged as if the leftovers were gone',
    });
    const ended = { ...belonging, leftovers: [container('spark1', false)] };
    expect(judge('ports', { facts: { listeners }, belonging: ended })).toMatchObject({ state: 'failed' });
  });

  it("does not mind the deployment's own containers, nor ports of a worker", () => {
    const belonging = { own: [container('spark1')], serving: [], leftovers: [] };
    expect(judge('ports', { facts: { listeners }, belonging })).toBeUndefined();
    expect(judge('ports', { facts: { listeners }, node: worker })).toBeUndefined();
  });

  it('leaves ports of a live engine to its own row', () => {
    const serving = [{ uid: 'old', number: 141, recipe: 'qwen35', node: 'spark1' }];
    const belonging = { own: [], leftovers: [], serving };
    expect(judge('ports', { facts: { listeners }, belonging })).toBeUndefined();
    // As if it were gone: what it holds goes with it, what another program holds does not.
    const replacing = { facts: { listeners }, belonging, replacing: true };
    expect(judge('ports', { ...replacing, servingPorts: [8000, 29_501] })).toEqual({
      state: 'ok',
      text: expect.stringMatching(/in use now, judged as if what serves were gone$/),
    });
    expect(judge('ports', replacing)).toMatchObject({ state: 'ok' });
    expect(judge('ports', { ...replacing, servingPorts: [9000, 29_501] })).toMatchObject({
      state: 'failed',
      text: 'port 8000 is in use',
    });
  });
});

describe('foreign', () => {
  const launch = {
    node: 'spark1',
    kind: 'container',
    name: 'vllm_node',
    id: 'ab'.repeat(32),
    image: 'vllm:1',
    user: 'root',
    ports: [8000],
    restart: 'unless-stopped',
    gpuMemory: 67_712,
  } as const;
  const process = { node: 'spark1', kind: 'process', name: 'python3', id: '4242', user: 'maya', ports: [] } as const;
  const forced = new Set(['foreign'] as const);

  it('refuses over what others run, and names all of it', () => {
    expect(judge('foreign', { facts: { others: { foreign: [launch, process] } } })).toEqual({
      state: 'failed',
      short: 'vllm_node runs on spark1, 1 more',
      text:
        'not started by this sparkops: container vllm_node (image vllm:1, user root inside, port 8000, ' +
        'restart unless-stopped, 71 GB of GPU memory); process python3 (pid 4242, user maya)',
      remedy:
        'Ask whose it is (status spark tells, if they said so), or stop-foreign vllm_node on spark, ' +
        'stop-foreign 4242 on spark or, by an admin, force foreign reason: ...',
    });
  });

  it('warns of it when an admin has passed it', () => {
    expect(judge('foreign', { facts: { others: { foreign: [launch] } }, forced })).toEqual({
      state: 'warning',
      text: expect.stringMatching(/^forced: not started by this sparkops: container vllm_node/),
    });
    const forcedOther = new Set(['hold', 'checks'] as const);
    expect(judge('foreign', { facts: { others: { foreign: [launch] } }, forced: forcedOther })?.state).toBe('failed');
  });

  it('lets what is tolerated run, but nothing beside it', () => {
    const exporter = { ...launch, name: 'dcgm-exporter', ports: [9400], tolerated: true };
    expect(judge('foreign', { facts: { others: { foreign: [exporter] } } })).toEqual({
      state: 'ok',
      text: 'only what is tolerated: dcgm-exporter',
    });
    const both = judge('foreign', { facts: { others: { foreign: [exporter, launch] } } });
    expect(both).toMatchObject({ state: 'failed', short: 'vllm_node runs on spark1' });
    expect(`${both?.text} ${both?.remedy}`).not.toContain('dcgm-exporter');
    // Whose the port is, nobody sees: it is taken all the same.
    const facts = { listeners: ['0.0.0.0:8000'], others: { foreign: [exporter] } };
    expect(judge('ports', { facts })).toMatchObject({ state: 'failed', text: 'port 8000 is in use' });
  });

  it('does not take silence for absence', () => {
    expect(judge('foreign', { facts: { others: { foreign: [], problem: 'no answer' } } })).toMatchObject({
      state: 'failed',
      text: "what others run can't be told: no answer",
    });
    expect(judge('foreign', { facts: { others: { foreign: [], gpuProblem: 'no driver' } } })).toMatchObject({
      state: 'warning',
      text: "what computes on the GPU can't be told: no driver",
    });
    // Another row has told of it.
    expect(judge('foreign', { facts: { docker: { version: '', problem: ['dead'] } } })).toBeUndefined();
  });

  it('says all that there is to say of a port, until it is passed', () => {
    const facts = { listeners: ['0.0.0.0:8000'], others: { foreign: [launch] } };
    expect(judge('ports', { facts })).toBeUndefined();
    expect(judge('ports', { facts, forced })).toMatchObject({ state: 'failed', text: 'port 8000 is in use' });
    const both = { ...facts, listeners: ['0.0.0.0:8000', '192.168.200.12:29501'] };
    expect(judge('ports', { facts: both })).toMatchObject({ state: 'failed' });
  });
});
