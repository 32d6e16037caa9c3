import { expect, it } from 'vitest';
import { foreignIn } from '../../../src/cluster/probes/foreign.ts';
import { foreignText, memoryText } from '../../../src/cluster/probes/foreign-text.ts';
import { parseSections } from '../../../src/cluster/probes/sections.ts';
import { section } from '../../support/node-answers.ts';

const A = 'aa'.repeat(32);
const B = 'bb'.repeat(32);
const OURS = 'cc'.repeat(32);

function container(id: string, name: string, ...more: string[]): string[] {
  return [`id=${id}`, `name=${name}`, 'running=true', 'image=img:1', 'user=', 'restart=no', 'network=host', ...more];
}

function look(parts: readonly string[], ports = [8000], tolerates: string[] = []) {
  return foreignIn(parseSections(parts.join('')), { node: 'spark1', ports, tolerates });
}

const gpu = (...lines: string[]) => section('gpu-apps', lines);
const listening = (...lines: string[]) =>
  section(
    'listeners',
    lines.map((line) => {
      const [port = '', pid] = line.split(' ');
      return `LISTEN 0 2048 0.0.0.0:${port} 0.0.0.0:*${pid === undefined ? '' : ` users:(("python3",pid=${pid},fd=7))`}`;
    }),
  );

it.each<[string, string[], boolean]>([
  ['asks for a GPU', ['gpu=yes'], true],
  ['gets one from the default runtime', ['runtime=nvidia', 'visible=all'], true],
  ['runs on the nvidia runtime without wanting a GPU', ['runtime=nvidia'], false],
  ['hides it', ['runtime=nvidia', 'visible=void'], false],
  [
    'publishes a port of a model',
    ['network=bridge', 'ports={"8000/tcp":[{"HostIp":"0.0.0.0","HostPort":"8000"}]}'],
    true,
  ],
  ['publishes another port', ['network=bridge', 'ports={"80/tcp":[{"HostIp":"::","HostPort":"80"}]}'], false],
  ['is told a port that nobody outside reaches', ['network=bridge', 'arg-port=8000'], false],
  ['belongs to another sparkops', ['realm=research'], true],
  ['does none of this', [], false],
])('counts a container that %s: %#', (_, more, counts) => {
  expect(look([section('foreign', container(A, 'it', ...more)), gpu()]).foreign.map(({ name }) => name)).toEqual(
    counts ? ['it'] : [],
  );
});

it('puts GPU memory and ports to the container whose processes they are, by cgroup', () => {
  const { foreign } = look([
    section('foreign', [...container(A, 'vllm_node', 'gpu=yes'), ...container(B, 'dcgm', 'gpu=yes')]),
    gpu('11, 60000', '12, 7712', '13, [N/A]'),
    listening('22', '8000 11'),
    section('cgroups', [`/proc/11/cgroup:${A}`, `/proc/12/cgroup:${A}`, `/proc/13/cgroup:${B}`]),
    section('starts', ['11 900', '12 901']),
  ]);
  expect(foreign).toMatchObject([
    { name: 'vllm_node', gpuMemory: 67_712, ports: [8000], gpuProcesses: ['11 900', '12 901'] },
    { name: 'dcgm', gpuMemory: 0, ports: [] },
  ]);
});

it('tells of processes in no container, and of those that outlived theirs, but of none of ours', () => {
  const { foreign } = look([
    section('containers', ['sparkops-u1-spark1']),
    section('container sparkops-u1-spark1', [`id=${OURS}`, 'engine=none']),
    section('foreign', container(A, 'ended', 'gpu=yes').with(2, 'running=false')),
    gpu('11, 100', '12, 200', '13, 300', '14, 400', '15, [N/A]'),
    section('user', ['aurora']),
    section('ours', ['12']),
    section('cgroups', [`/proc/11/cgroup:${OURS}`, `/proc/13/cgroup:${A}`, `/proc/14/cgroup:${B}`]),
    section('processes', [
      '   13 root     Tue Dec  1 02:10:00 2026 VLLM::EngineCor',
      '   15 aurora   Tue Dec  1 02:11:00 2026 /usr/bin/my tool',
    ]),
    section('starts', ['13 900', '15 905']),
  ]);
  expect(foreign).toEqual([
    expect.objectContaining({ id: '13', name: 'VLLM::EngineCor', orphanOf: A, user: 'root' }),
    expect.objectContaining({ id: '14', name: 'a process', orphanOf: B }),
    {
      node: 'spark1',
      kind: 'process',
      name: 'my tool',
      id: '15',
      start: '905',
      ports: [],
      user: 'aurora',
      ours: true,
      since: '2026-12-01T02:11:00.000Z',
    },
  ]);
});

it('guesses whose an open port is only when there is one that it can be', () => {
  const one = section('foreign', container(A, 'vllm_node', 'gpu=yes'));
  const two = section('foreign', [...container(A, 'vllm_node', 'gpu=yes'), ...container(B, 'other', 'gpu=yes')]);
  expect(look([one, gpu(), listening('8000')]).foreign).toMatchObject([{ ports: [8000], portsLikely: true }]);
  expect(look([two, gpu(), listening('8000')]).foreign).toMatchObject([{ ports: [] }, { ports: [] }]);
  expect(look([one, gpu(), listening('22')]).foreign[0]).not.toHaveProperty('portsLikely');
  const engine = section('container ours', [`id=${OURS}`, 'engine=alive']);
  expect(look([engine, one, gpu(), listening('8000')]).foreign).toMatchObject([{ ports: [] }]);
});

it.each<[string, string[], boolean]>([
  ['uses the GPU', [], true],
  ['listens on another port', ['arg-port=9400'], true],
  ['is of another sparkops', ['realm=research'], false],
  ['is told to listen on the port of a model', ['arg-port=8000'], false],
  ['publishes it', ['network=bridge', 'ports={"80/tcp":[{"HostIp":"","HostPort":"8000"}]}'], false],
])('tolerates what is listed and %s: %#', (_, more, tolerated) => {
  const parts = [section('foreign', container(A, 'dcgm', 'gpu=yes', ...more)), gpu()];
  for (const listed of ['dcgm', 'img', 'img:1']) {
    const { foreign } = look(parts, [8000], [listed]);
    expect(foreign.map((each) => each.tolerated ?? false)).toEqual([tolerated]);
  }
  expect(look(parts).foreign[0]).not.toHaveProperty('tolerated');
});

it('does not tolerate a container whose process is seen on the port of a model', () => {
  const parts = [
    section('foreign', container(A, 'dcgm', 'gpu=yes')),
    gpu(),
    section('cgroups', [`/proc/11/cgroup:${A}`]),
  ];
  expect(look([...parts, listening('8000 11')], [8000], ['dcgm']).foreign).toEqual([
    expect.not.objectContaining({ tolerated: true }),
  ]);
  expect(look([...parts, listening('9400 11')], [8000], ['dcgm']).foreign).toMatchObject([{ tolerated: true }]);
});

it('does not guess that an open port is of what is tolerated', () => {
  const both = section('foreign', [...container(A, 'vllm_node', 'gpu=yes'), ...container(B, 'dcgm', 'gpu=yes')]);
  expect(look([both, gpu(), listening('8000')], [8000], ['dcgm']).foreign).toMatchObject([
    { name: 'vllm_node', ports: [8000], portsLikely: true },
    { name: 'dcgm', ports: [], tolerated: true },
  ]);
});

it('tolerates no process on the GPU', () => {
  const processes = section('processes', ['   13 root     Tue Dec  1 02:10:00 2026 dcgm']);
  const { foreign } = look(
    [section('foreign', []), gpu('13, 300'), section('user', ['aurora']), processes],
    [8000],
    ['dcgm'],
  );
  expect(foreign).toMatchObject([{ kind: 'process', name: 'dcgm' }]);
  expect(foreign[0]).not.toHaveProperty('tolerated');
});

it('says why it does not know', () => {
  expect(look([section('foreign', ['Error: no answer'], 1), gpu()])).toEqual({
    foreign: [],
    problem: 'Error: no answer',
  });
  expect(look([section('foreign', []), section('gpu-apps', ['no driver'], 9)])).toEqual({
    foreign: [],
    gpuProblem: 'no driver',
  });
  // The program did not come to it.
  expect(look([]).problem).toBe('nothing was said');
});

it('has words for all of it', () => {
  const base = { node: 'spark1', id: A, ports: [] as number[] };
  expect(
    foreignText({
      ...base,
      kind: 'container',
      name: 'vllm_node',
      image: 'img:1',
      user: 'root',
      ports: [8000, 8001],
      portsLikely: true,
      restart: 'always',
      gpuMemory: 67_712,
    }),
  ).toBe(
    'container vllm_node (image img:1, user root inside, probably port 8000 and 8001, restart always, 71 GB of GPU memory)',
  );
  expect(foreignText({ ...base, kind: 'container', name: 'x', restart: '', realm: 'research' })).toBe(
    'container x of another sparkops, research (no restart policy)',
  );
  expect(foreignText({ ...base, kind: 'process', id: '42', name: 'python3', user: 'maya' })).toBe(
    'process python3 (pid 42, user maya)',
  );
  expect(foreignText({ ...base, kind: 'process', id: '42', name: 'python3' })).toBe('process python3 (pid 42)');
  expect(memoryText(300)).toBe('315 MB');
});
