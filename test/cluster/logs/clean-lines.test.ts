import { expect, it } from 'vitest';
import { lineCleaner } from '../../../src/cluster/logs/clean-lines.ts';

const clean = (text: string) => lineCleaner()(`${text}\n`);

it.each([
  ['(APIServer pid=1) INFO 06-07 13:19:30 [model.py:555] x', { text: 'INFO 06-07 13:19:30 [model.py:555] x' }],
  ['(EngineCore_DP0 pid=1088) (RayWorkerWrapper pid=1171) INFO y', { text: 'INFO y' }],
  [
    '(EngineCore pid=2490) (RayWorkerProc pid=471, ip=10.0.14.41) (Worker_TP1 pid=471) ERROR z',
    { text: 'ERROR z', ip: '10.0.14.41' },
  ],
  ['\u001B[36m(RayWorkerWrapper pid=123, ip=10.0.0.2)\u001B[0m hello', { text: 'hello', ip: '10.0.0.2' }],
  ['\u001B[1;36m(EngineCore_DP0 pid=279)\u001B[0;0m INFO a', { text: 'INFO a' }],
  ['(VllmWorker rank=1 pid=336) INFO b', { text: 'INFO b' }],
  ['(Worker_DP1_TP0_EP2 pid=1) c', { text: 'c' }],
  ['(autoscaler +10m11s, ip=172.31.42.4) Error: no', { text: 'Error: no', ip: '172.31.42.4' }],
  ['(pid=2981, ip=192.168.200.13) d', { text: 'd', ip: '192.168.200.13' }],
  ['(raylet) e', { text: 'e' }],
  ['INFO f [repeated 3x across cluster]', { text: 'INFO f' }],
  [
    'g (Ray deduplicates logs by default. Set RAY_DEDUP_LOGS=0 to disable log deduplication, or see https://docs.ray.io/x)',
    { text: 'g' },
  ],
  ['(something else) h', { text: '(something else) h' }],
])('cleans %j', (raw, line) => {
  expect(clean(raw)).toEqual([line]);
});

it('splits the chain of a progress bar', () => {
  expect(clean('\r  0%|   | 0/58\r  2%|   | 1/58\r\nnext').map(({ text }) => text.trim())).toEqual([
    '0%|   | 0/58',
    '2%|   | 1/58',
    'next',
  ]);
});

it('leaves out lines that hold only a prefix', () => {
  expect(clean('(EngineCore pid=96) \n\n   \nx')).toEqual([{ text: 'x' }]);
});

it('joins a line that comes in pieces', () => {
  const feed = lineCleaner();
  expect(feed('(APIServer pid=1) INFO he')).toEqual([]);
  expect(feed('llo\n(APIServer pi')).toEqual([{ text: 'INFO hello' }]);
  expect(feed('d=1) bye\n')).toEqual([{ text: 'bye' }]);
});

it('holds little of a line that never ends', () => {
  const feed = lineCleaner();
  for (let piece = 0; piece < 50; piece++) expect(feed('x'.repeat(10_000))).toEqual([]);
  expect(feed('\n')[0]?.text.length).toBeLessThanOrEqual(4_000);
});
