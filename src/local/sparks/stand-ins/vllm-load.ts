import { setTimeout as delay } from 'node:timers/promises';
import type { Machine } from './machine.ts';
import { bar, engine, engineTag, say, worker, workerTag } from './vllm-lines.ts';
import { coreFailed } from './vllm-ray.ts';

const SHARDS = 39;
const DIES_AFTER = 20;
const HANGS_AFTER = 12;
const REST_MS = 100;

/** The lines from the weights to the ready engine, over the machine's loadSeconds. */
export async function loadWeights(options: {
  machine: Machine;
  model: string;
  addresses: readonly string[];
}): Promise<void> {
  const { machine, model, addresses } = options;
  const onAll = (place: string, text: string) => {
    for (const [rank, address] of addresses.entries()) worker(rank, address, place, text);
  };
  onAll('gpu_model_runner.py:4124', `Starting to load model ${model}...`);
  onAll('cuda.py:351', 'Using FLASHINFER attention backend.');
  await readShards(machine, addresses);

  const seconds = machine.loadSeconds.toFixed(2);
  worker(0, '', 'default_loader.py:293', `Loading weights took ${seconds} seconds`);
  onAll('gpu_model_runner.py:4221', `Model loading took 58.33 GiB memory and ${seconds}1234 seconds`);
  onAll(
    'backends.py:916',
    "Using cache directory: /tmp/.cache/vllm/torch_compile_cache/15be4eabe3/rank_0_0/backbone for vLLM's torch.compile",
  );
  worker(0, '', 'backends.py:976', 'Dynamo bytecode transform time: 4.76 s');
  await delay(REST_MS);
  worker(0, '', 'backends.py:350', 'Compiling a graph for compile range (1, 8192) takes 18.60 s');
  worker(0, '', 'monitor.py:34', 'torch.compile took 25.60 s in total');
  onAll('gpu_worker.py:424', 'Available KV cache memory: 40.61 GiB');
  engine('kv_cache_utils.py:1314', 'GPU KV cache size: 1,774,400 tokens');
  engine('kv_cache_utils.py:1319', 'Maximum concurrency for 262,144 tokens per request: 6.77x');
  for (const [kind, total] of [
    ['mixed prefill-decode, PIECEWISE', 51],
    ['decode, FULL', 35],
  ] as const) {
    bar(`Capturing CUDA graphs (${kind}):   0%|          | 0/${total} [00:00<?, ?it/s]`);
    await delay(REST_MS);
    bar(`Capturing CUDA graphs (${kind}): 100%|██████████| ${total}/${total} [00:05<00:00,  9.73it/s]`);
  }
  onAll('gpu_model_runner.py:5051', 'Graph capturing finished in 11 secs, took 0.66 GiB');
  engine('core.py:282', 'init engine (profile, create kv cache, warmup model) took 65.48 seconds');
}

async function readShards(machine: Machine, addresses: readonly string[]): Promise<void> {
  const pause = (machine.loadSeconds * 1_000) / SHARDS;
  for (let shard = 0; shard <= SHARDS; shard += 1) {
    bar(shardBar(shard, machine.loadSeconds));
    if (machine.load === 'hangs' && shard === HANGS_AFTER)
      await new Promise(() => setInterval(() => undefined, 1 << 30));
    if (machine.load === 'dies' && shard === DIES_AFTER) outOfMemory(addresses);
    if (shard < SHARDS) await delay(pause);
  }
}

function shardBar(shard: number, total: number): string {
  const percent = String(Math.floor((shard * 100) / SHARDS)).padStart(3);
  const passed = (shard * total) / SHARDS;
  const rate = shard === 0 ? '?it/s' : `${(total / SHARDS).toFixed(2).padStart(5)}s/it`;
  const left = shard === 0 ? '?' : time(total - passed);
  return `Loading safetensors checkpoint shards: ${percent}% Completed | ${shard}/${SHARDS} [${time(passed)}<${left}, ${rate}]`;
}

function time(seconds: number): string {
  const whole = Math.floor(seconds);
  return [Math.floor(whole / 60), whole % 60].map((part) => String(part).padStart(2, '0')).join(':');
}

function outOfMemory(addresses: readonly string[]): never {
  const rank = addresses.length - 1;
  const lines = [
    'WorkerProc failed to start.',
    'Traceback (most recent call last):',
    '  File "/usr/local/lib/python3.12/dist-packages/vllm/v1/worker/gpu_model_runner.py", line 4168, in load_model',
    '    self.model = model_loader.load_model(',
    '  File "/usr/local/lib/python3.12/dist-packages/vllm/model_executor/layers/quantization/fp8.py", line 812, in create_weights',
    '    w13_weight = torch.nn.Parameter(torch.empty(',
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 121.69 GiB of which 1.32 GiB is free. Process 159772 has 117.77 GiB memory in use. Of the allocated memory 114.36 GiB is allocated by PyTorch, and 1.21 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.',
  ];
  for (const line of lines) worker(rank, addresses[rank] ?? '', 'worker_base.py:342', line, 'ERROR');
  say(`${engineTag()} ${workerTag(rank, addresses[rank] ?? '')} `);
  return coreFailed();
}
