import { expect, it } from 'vitest';
import { progressReader } from '../../../src/cluster/logs/progress.ts';

it.each([
  ['INFO 06-07 13:19:24 [utils.py:299]  ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.20.0', 'starting'],
  ['INFO 06-07 13:19:30 [model.py:555] Resolved architecture: Gemma4ForConditionalGeneration', 'config'],
  ["INFO 06-07 13:19:39 [core.py:109] Initializing a V1 LLM engine (v0.20.0) with config: model='x'", 'engine'],
  [
    '2025-12-25 11:51:11,225\tINFO worker.py:1837 -- Connecting to existing Ray cluster at address: 192.168.200.12:6379...',
    'ray',
  ],
  [
    'INFO [parallel_state.py:1402] world_size=2 rank=0 local_rank=0 distributed_init_method=tcp://192.168.200.12:1 backend=nccl',
    'network',
  ],
  ['INFO [gpu_model_runner.py:4777] Starting to load model google/gemma-4-26B-A4B-it...', 'weights'],
  ['INFO [default_loader.py:384] Loading weights took 371.35 seconds', 'weights'],
  ['INFO [gpu_model_runner.py:4879] Model loading took 48.5 GiB memory and 455.900544 seconds', 'weights'],
  ['INFO [backends.py:1128] Dynamo bytecode transform time: 4.76 s', 'compile'],
  ['INFO [backends.py:391] Compiling a graph for compile range (1, 4096) takes 18.60 s', 'compile'],
  ['INFO [gpu_worker.py:440] Available KV cache memory: 40.61 GiB', 'memory'],
  [
    '2026-06-07 13:28:14,724 - INFO - autotuner.py:457 - flashinfer.jit: [Autotuner]: Autotuning process starts ...',
    'warm-up',
  ],
  ['INFO [gpu_model_runner.py:6133] Graph capturing finished in 11 secs, took 0.66 GiB', 'graphs'],
  ['INFO [api_server.py:602] Starting vLLM server on http://0.0.0.0:8000', 'api'],
  ['INFO:     Application startup complete.', 'api'],
])('takes %j for progress', (line, stage) => {
  const reader = progressReader();
  expect(reader.take(line)).toBe(true);
  expect(reader.current()).toEqual({ stage });
});

it.each([
  [
    'Loading safetensors checkpoint shards:  50% Completed | 1/2 [05:57<05:57, 357.35s/it]',
    { stage: 'weights', percent: 50, done: 1, total: 2, secondsLeft: 357 },
  ],
  [
    'Loading safetensors checkpoint shards:   0% Completed | 0/39 [00:00<?, ?it/s]',
    { stage: 'weights', percent: 0, done: 0, total: 39 },
  ],
  [
    'Multi-thread loading shards: 100% Completed | 1/1 [1:00:18<00:00, 18.13s/it]',
    { stage: 'weights', percent: 100, done: 1, total: 1, secondsLeft: 0 },
  ],
  [
    'Capturing CUDA graphs (mixed prefill-decode, PIECEWISE):   4%|▍         | 2/51 [00:00<1:00:03, 12.33it/s]',
    { stage: 'graphs', percent: 4, done: 2, total: 51, secondsLeft: 3603 },
  ],
  [
    '[AutoTuner]: Tuning fp8_gemm:  25%|██▌       | 4/16 [00:10<00:30,  2.50s/it]',
    { stage: 'warm-up', percent: 25, done: 4, total: 16, secondsLeft: 30 },
  ],
])('reads the bar %j', (line, progress) => {
  const reader = progressReader();
  expect(reader.take(line)).toBe(true);
  expect(reader.current()).toEqual(progress);
});

it('takes a bar of an unknown kind as movement in the stage it is in', () => {
  const reader = progressReader();
  reader.take('INFO Starting to load model x...');
  expect(reader.take('Frobnicating:  10%|█         | 1/10 [00:01<00:09,  1.00s/it]')).toBe(true);
  expect(reader.current()).toMatchObject({ stage: 'weights', done: 1, total: 10 });
});

it.each([
  'INFO:     127.0.0.1:44082 - "GET /health HTTP/1.1" 503 Service Unavailable',
  'INFO 06-07 13:19:30 [shm_broadcast.py:466] No available shared memory broadcast block found in 60 seconds.',
  "INFO [ray_utils.py] Waiting for creating a placement group of specs for 10 seconds. specs=[{'GPU': 1.0}].",
  'INFO 06-07 13:29:29 [loggers.py:271] Engine 000: Avg prompt throughput: 231.0 tokens/s',
])('does not take %j for progress', (line) => {
  const reader = progressReader();
  expect(reader.take(line)).toBe(false);
  expect(reader.current()).toEqual({ stage: 'starting' });
});

it('does not count the same state twice', () => {
  const reader = progressReader();
  const bar = (left: string) =>
    `Loading safetensors checkpoint shards: 100% Completed | 2/2 [06:11<${left}, 155.32s/it]`;
  expect(reader.take(bar('00:01'))).toBe(true);
  expect(reader.take(bar('00:00'))).toBe(false);
  expect(reader.take('INFO 06-07 13:28:13 [gpu_worker.py:440] Available KV cache memory: 40.61 GiB')).toBe(true);
  expect(reader.take('INFO 06-07 13:28:14 [gpu_worker.py:440] Available KV cache memory: 40.61 GiB')).toBe(false);
});

it('keeps the last bar of a stage until the next stage', () => {
  const reader = progressReader();
  reader.take('Loading safetensors checkpoint shards: 100% Completed | 2/2 [06:11<00:00, 155.32s/it]');
  reader.take('INFO Loading weights took 371.35 seconds');
  expect(reader.current()).toMatchObject({ stage: 'weights', done: 2, total: 2 });
  reader.take('INFO Dynamo bytecode transform time: 4.76 s');
  expect(reader.current()).toEqual({ stage: 'compile' });
});
