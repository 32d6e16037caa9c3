import { afterEach, describe, expect, it } from 'vitest';
import { readMetrics } from '../../../src/cluster/probes/engine-metrics.ts';
import { gpuWatts } from '../../../src/cluster/probes/gpu-text.ts';
import { FABRIC, IMAGE, NODES, startBench, until, type Bench } from './bench.ts';

let bench: Bench;

afterEach(async () => {
  await bench.stop();
});

async function startPair() {
  await Promise.all(NODES.map((node) => bench.startRay(node)));
  return await bench.rayNodes();
}

async function someNodes() {
  return await until(async () => {
    const nodes = await bench.rayNodes(0.2);
    return nodes.length > 0 && nodes;
  });
}

const served = () => bench.cat('serve.log');

describe('a healthy pair', () => {
  it('registers both fabric addresses, serves, answers, and dies when it is killed', async () => {
    bench = await startBench();
    expect(await startPair()).toEqual([
      { address: FABRIC.spark1, hostname: 'spark1', alive: true, gpu: 1, head: true },
      { address: FABRIC.spark2, hostname: 'spark2', alive: true, gpu: 1, head: false },
    ]);
    const log = (await bench.run('spark2', 'docker logs --tail 50 c-spark2')).stdout;
    expect(log).toMatch(/Local node IP: 192\.168\.200\.13\n.*\n.*SUCC .* -- Ray runtime started\.\n/);
    await bench.serve();
    const { dial } = bench;
    await expect(dial('spark1', '127.0.0.1', 8000)).rejects.toThrow('Channel open failure');
    const url = await until(() => bench.sparks.engineUrl());
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(await (await fetch(`${url}/v1/models`)).json()).toMatchObject({ data: [{ id: 'qwen35' }] });
    expect(await chat(url, 'What is 17 + 25? Answer with the number.')).toMatchObject({
      text: expect.stringMatching(/\b42\b/),
      usage: { completion_tokens: expect.any(Number) },
    });
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(
      /^vllm:request_success_total\{engine="0",model_name="qwen35"\} 1$/m,
    );
    expect(order(await served(), HEALTHY)).toEqual(HEALTHY);
    expect((await bench.run('spark1', 'ss -ltnH')).stdout).toMatch(/:8000 /);
    const stream = await dial('spark1', '192.168.200.12', 8000);
    stream.destroy();
    const top = (await bench.run('spark1', 'docker top c-spark1 -eo pid,args')).stdout;
    expect(top).toMatch(/^\d+ +\/usr\/bin\/python3 \/usr\/local\/bin\/ray start --block --head/m);
    expect(top).toMatch(/^\d+ +python3 \/\S+\/runs\/u1\/serve\.py \/\S+\/runs\/u1 -- vllm serve/m);
    expect(top).toMatch(/^\d+ +\/usr\/bin\/python3 \/usr\/local\/bin\/vllm serve Qwen/m);
    expect(Number(await bench.cat('serve.pid'))).toBeGreaterThan(1);
    expect(await bench.cat('serve.exit')).toBe('');
    expect(bench.sparks.starts('spark1')).toEqual({ 'c-spark1': 1, engine: 1 });

    await bench.sparks.kill('spark1', 'engine');
    expect(await until(() => bench.cat('serve.exit'))).toBe('signal 9\n');
    expect(bench.sparks.engineUrl()).toBeUndefined();
    expect((await bench.run('spark1', 'docker top c-spark1 -eo pid,args')).stdout).not.toContain('serve.py');
  });

  it('loses the engine when the container of the worker dies, and knows the node as dead', async () => {
    bench = await startBench();
    await startPair();
    await bench.serve();
    await until(() => bench.sparks.engineUrl());
    await bench.sparks.kill('spark2', 'containers');
    expect(await until(() => bench.cat('serve.exit'))).toBe('1\n');
    expect(await served()).toContain(
      'ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.',
    );
    expect(bench.sparks.containers('spark2')).toMatchObject([{ name: 'c-spark2', status: 'exited', exitCode: 137 }]);
    expect((await bench.rayNodes(0.2)).find((node) => node.hostname === 'spark2')?.alive).toBe(false);
  });

  it('lets a worker wait for its head, and gives the ports back when the head is removed', async () => {
    bench = await startBench();
    await bench.startRay('spark2');
    await until(async () =>
      (await bench.run('spark2', 'docker logs --tail 9 c-spark2')).stdout.includes('Local node IP'),
    );
    await bench.startRay('spark1');
    expect(await bench.rayNodes()).toHaveLength(2);
    const second = await bench.run(
      'spark1',
      `docker run -d --name again --entrypoint ray ${IMAGE} start --block --head --port 29501`,
    );
    expect(second.exitCode).toBe(0);
    await until(async () => {
      const { stdout } = await bench.run('spark1', 'docker logs --tail 5 again');
      return stdout.includes('ConnectionError: Ray is trying to start at 10.1.230.180:29501, but is already running');
    });
    await bench.run('spark1', 'docker rm --force c-spark1');
    expect((await bench.run('spark1', 'ss -ltnH')).stdout).not.toContain(':29501');
    await bench.startRay('spark1');
    expect(await someNodes()).toMatchObject([{ address: FABRIC.spark1, head: true }]);
  });

  it('refuses two GPUs on one node without Ray, in vLLM words', async () => {
    bench = await startBench();
    await startPair();
    await bench.serve([]);
    expect(await until(() => bench.cat('serve.exit'))).toBe('1\n');
    expect(await served()).toContain(
      'Value error, World size (2) is larger than the number of available GPUs (1) in this node. If this is intentional and you are using:\n',
    );
  });

  it('knows only our own Python programs', async () => {
    bench = await startBench();
    await bench.startRay('spark1');
    expect((await bench.run('spark1', 'docker exec c-spark1 python3 --version')).stdout).toBe('Python 3.12.3\n');
    expect((await bench.run('spark1', `docker exec c-spark1 python3 -c 'print(1)'`)).exitCode).toBe(127);
    expect(await bench.run('spark1', 'docker exec c-spark1 python3 /gone/serve.py /gone -- true')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('No such file or directory'),
    });
    expect((await bench.run('spark1', 'docker exec c-spark1 vllm --version')).stdout).toBe('0.17.0\n');
  });
});

describe('a fault', () => {
  it('wrong-address: the head registers the management address, and the engine waits for its node', async () => {
    bench = await startBench({ faults: ['wrong-address'] });
    await bench.startRay('spark1');
    expect(await bench.rayNodes()).toEqual([
      { address: '10.1.230.180', hostname: 'spark1', alive: true, gpu: 1, head: true },
    ]);
    await bench.startRay('spark2');
    await until(async () => (await bench.rayNodes(0.1)).length === 2);
    await bench.serve();
    await until(async () => (await served()).includes('Creating a new placement group.'));
    expect(await served()).not.toContain('world_size');
  });

  it('serve-dies: out of GPU memory while loading', async () => {
    bench = await startBench({ faults: ['serve-dies'] });
    await startPair();
    await bench.serve();
    expect(await until(() => bench.cat('serve.exit'))).toBe('1\n');
    const log = await served();
    expect(log).toMatch(
      /\(RayWorkerWrapper pid=\d+, ip=192\.168\.200\.13\) ERROR .*torch\.OutOfMemoryError: CUDA out of memory\./,
    );
    expect(log).toMatch(/51% Completed \| 20\/39/);
    expect(log.trimEnd()).toMatch(/RuntimeError: Engine core initialization failed\..*$/);
  });

  it('hang: alive, and silent', async () => {
    bench = await startBench({ faults: ['hang'] });
    await startPair();
    await bench.serve();
    await until(async () => (await served()).includes('12/39'));
    expect(await bench.cat('serve.exit')).toBe('');
    expect((await bench.run('spark1', 'docker top c-spark1 -eo pid,args')).stdout).toContain('serve.py');
  });

  it('slow: a bar that moves slowly', async () => {
    bench = await startBench({ faults: ['slow'] });
    await startPair();
    await bench.serve();
    await until(async () => (await served()).includes('Completed | 1/39'));
    expect(await served()).toMatch(/1\/39 \[00:01<00:5\d, +1\.54s\/it\]/);
  });

  it('ray-without-gpu: the worker registers none', async () => {
    bench = await startBench({ faults: ['ray-without-gpu'] });
    expect(await startPair()).toMatchObject([
      { hostname: 'spark1', gpu: 1 },
      { hostname: 'spark2', alive: true, gpu: 0 },
    ]);
  });

  it('missing-image: spark2 lacks it, spark1 has it', async () => {
    bench = await startBench({ faults: ['missing-image'] });
    expect((await bench.startRay('spark1')).exitCode).toBe(0);
    expect(await bench.startRay('spark2')).toMatchObject({
      exitCode: 125,
      stderr: expect.stringContaining(`No such image: ${IMAGE}:latest`),
    });
  });

  it('no-program: the image has no ray', async () => {
    bench = await startBench({ faults: ['no-program'] });
    expect(await bench.startRay('spark1')).toMatchObject({
      exitCode: 127,
      stderr: expect.stringContaining('exec: "ray": executable file not found in $PATH'),
    });
  });

  it('entrypoint: arguments are swallowed unless --entrypoint is given', async () => {
    bench = await startBench({ faults: ['entrypoint'] });
    const image = await bench.run('spark1', `docker image inspect --format '{{json .Config.Entrypoint}}' ${IMAGE}`);
    expect(image.stdout).toBe('["serve-default"]\n');
    await bench.run('spark1', `docker run -d --name swallowed ${IMAGE} ray start --block --head`);
    await until(async () => {
      const { stdout } = await bench.run('spark1', 'docker logs --tail 5 swallowed');
      return stdout === 'Serving the default model; the arguments are not used\n';
    });
    await bench.startRay('spark1');
    expect(await someNodes()).toMatchObject([{ hostname: 'spark1', head: true }]);
  });

  it('port-taken: the engine can not have its port', async () => {
    bench = await startBench({ faults: ['port-taken'] });
    await startPair();
    await bench.serve();
    expect(await until(() => bench.cat('serve.exit'))).toBe('1\n');
    expect(await served()).toContain('OSError: [Errno 98] Address already in use');
    expect(bench.sparks.engineUrl()).toBeUndefined();
  });

  it('wedged: requests hang, the counters stand still, and the GPU draws little', async () => {
    bench = await startBench();
    await startPair();
    await bench.serve();
    const url = await until(() => bench.sparks.engineUrl());
    await chat(url, 'What is 2 + 3?');
    const idle = await loadOf(url);
    expect(idle).toMatchObject({ running: 0, requests: 1 });
    expect(idle?.generatedTokens).toBeGreaterThan(0);
    expect(await watts()).toBe(10.87);

    // A question that takes a while draws power, and each token counts.
    const counting = chat(url, 'Count to 3000.').catch(() => 'cut off');
    await until(async () => ((await loadOf(url))?.generatedTokens ?? 0) > (idle?.generatedTokens ?? 0));
    expect(await loadOf(url)).toMatchObject({ running: 1, requests: 2 });
    expect(await watts()).toBe(61.3);

    await bench.sparks.inject('wedged');
    await until(async () => (await watts()) === 21.64);
    const stuck = await loadOf(url);
    expect(stuck).toMatchObject({ running: 1, requests: 2 });
    expect((await bench.run('spark1', 'sleep 0.3')).exitCode).toBe(0);
    expect(await loadOf(url)).toEqual(stuck);
    await bench.sparks.kill('spark1', 'engine');
    expect(await counting).toBe('cut off');
  });

  it('can come later: the next engine dies', async () => {
    bench = await startBench();
    await startPair();
    await bench.sparks.inject('serve-dies');
    await bench.serve();
    expect(await until(() => bench.cat('serve.exit'))).toBe('1\n');
  });
});

const HEALTHY = [
  'version 0.17.0',
  'Initializing a V1 LLM engine (v0.17.0)',
  'Connecting to existing Ray cluster at address: 192.168.200.12:29501...',
  'world_size=2 rank=0 local_rank=0 distributed_init_method=tcp://192.168.200.12:',
  'rank 1 in world size 2',
  'Starting to load model Qwen/Qwen3.5-122B-A10B-FP8...',
  'Loading safetensors checkpoint shards:   0% Completed | 0/39',
  'Loading safetensors checkpoint shards: 100% Completed | 39/39',
  'Loading weights took',
  'Model loading took',
  'torch.compile took',
  'GPU KV cache size:',
  'Capturing CUDA graphs',
  'init engine (profile, create kv cache, warmup model) took',
  'Application startup complete.',
];

/** The texts, in the order of their first lines. */
function order(log: string, texts: readonly string[]): string[] {
  const places = texts.map((text) => ({ text, at: log.indexOf(text) })).filter(({ at }) => at >= 0);
  return places.toSorted((a, b) => a.at - b.at).map(({ text }) => text);
}

async function loadOf(url: string) {
  return readMetrics(await (await fetch(`${url}/metrics`)).text());
}

async function watts(): Promise<number | undefined> {
  const query =
    'nvidia-smi --query-gpu=name,driver_version,power.draw,temperature.gpu,utilization.gpu --format=csv,noheader,nounits';
  return gpuWatts((await bench.run('spark1', query)).stdout);
}

async function chat(url: string, question: string): Promise<{ text: string; usage: unknown }> {
  const request = {
    model: 'qwen35',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: question }],
  };
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(request) });
  const events = (await response.text()).trim().split('\n\n');
  expect(events.at(-1)).toBe('data: [DONE]');
  const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice('data: '.length)));
  const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
  return { text, usage: chunks.at(-1).usage };
}
