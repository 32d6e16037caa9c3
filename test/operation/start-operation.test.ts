import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openDeployQueue } from '../../src/jobs/queue.ts';
import { openBoard } from '../../src/operation/board.ts';
import type { HealthSources } from '../../src/operation/health.ts';
import { lookAtHealth } from '../../src/operation/health.ts';
import { startHeartbeat } from '../../src/operation/heartbeat.ts';
import { createMetrics } from '../../src/operation/metrics.ts';
import { startOperation } from '../../src/operation/start-operation.ts';
import { openTelemetry } from '../../src/operation/telemetry.ts';
import type { OperationSettings } from '../../src/settings.ts';
import { openBench, silent, type Bench } from '../jobs/support/bench.ts';
import { testRedis, type TestRedis } from '../support/redis.ts';

let redis: TestRedis;
let bench: Bench;
beforeEach(async () => {
  redis = await testRedis();
  bench = await openBench(redis);
});
afterEach(async () => {
  redis.goOn();
  await bench.stop();
});

function sources(change: Partial<HealthSources> = {}): HealthSources {
  return {
    version: '0.1.0',
    redis: bench.store.redis,
    slack: () => ({ ok: true, text: '2 of 2 sockets open' }),
    worker: { isRunning: () => true, lastRound: () => new Date(), reconcileMs: 10_000 },
    now: () => new Date(),
    ...change,
  };
}

/** The operators' port, by its address. */
async function open(change: Partial<HealthSources> = {}, settings: Partial<OperationSettings> = {}): Promise<string> {
  let port = 0;
  const log = pino({ level: 'info' }, { write: (line: string) => void (port ||= JSON.parse(line).port ?? 0) });
  const queue = openDeployQueue({ realm: 'test', redis: bench.connect(), log: silent });
  const operation = await startOperation({
    settings: { port: { host: '127.0.0.1', port: 0 }, ...settings },
    metrics: createMetrics({ version: '0.1.0', roles: ['bot', 'worker'] }),
    sources: sources(change),
    sockets: () => 2,
    store: bench.store,
    redis: bench.store.redis,
    queue,
    clusters: () => ['spark'],
    log,
  });
  onTestFinished(operation.stop);
  onTestFinished(async () => queue.close());
  return `http://127.0.0.1:${port}`;
}

describe('/healthz', () => {
  test('200 with every part while all is well', async () => {
    const response = await fetch(`${await open()}/healthz`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      ok: true,
      version: '0.1.0',
      roles: ['bot', 'worker'],
      parts: { redis: { ok: true }, slack: { ok: true }, worker: { ok: true }, reconciler: { ok: true } },
    });
  });

  const longAgo = new Date(Date.now() - 600_000);
  const running = { isRunning: () => true, lastRound: () => new Date(), reconcileMs: 10_000 };
  test.each<[string, Partial<HealthSources>]>([
    ['slack', { slack: () => ({ ok: false, text: '0 of 2 sockets open' }) }],
    ['worker', { worker: { ...running, isRunning: () => false } }],
    ['reconciler', { worker: { ...running, lastRound: () => longAgo } }],
    ['reconciler', { worker: { ...running, lastRound: () => undefined } }],
  ])('503 names what is unwell: %s', async (part, change) => {
    const response = await fetch(`${await open(change)}/healthz`);
    expect(response.status).toBe(503);
    const { parts }: { parts: Record<string, { ok: boolean }> } = JSON.parse(await response.text());
    expect(Object.keys(parts).filter((name) => !parts[name]?.ok)).toEqual([part]);
  });

  test('503 soon, while Redis is silent; then 200 again', async () => {
    const url = await open();
    redis.pause();
    const before = performance.now();
    expect((await fetch(`${url}/healthz`)).status).toBe(503);
    expect(performance.now() - before).toBeLessThan(2_000);
    redis.goOn();
    await expect.poll(async () => (await fetch(`${url}/healthz`)).status).toBe(200);
  });
});

describe('/metrics', () => {
  test('what the store knows, and the process', async () => {
    await bench.admit('abcdefghij');
    const url = await open();
    await expect
      .poll(async () => (await fetch(`${url}/metrics`)).text())
      .toContain('sparkops_cluster_claimed{cluster="spark"} 1\n');
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const text = await response.text();
    for (const line of [
      'sparkops_healthy 1',
      'sparkops_part_healthy{part="redis"} 1',
      'sparkops_slack_sockets_open 2',
      'sparkops_cluster_leased{cluster="spark"} 0',
      'sparkops_cluster_serving{cluster="spark"} 0',
      'sparkops_queue_jobs{queue="deploys",state="active"} 0',
      'sparkops_info{version="0.1.0",roles="bot,worker"} 1',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
  });

  test('while Redis is silent the store is left out, and the rest is told', async () => {
    const url = await open();
    redis.pause();
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain('sparkops_healthy 0\n');
    expect(text).not.toContain('sparkops_cluster_claimed{');
  });

  test('nothing else is there, and nothing can be changed', async () => {
    const url = await open();
    expect((await fetch(`${url}/`)).status).toBe(404);
    expect((await fetch(`${url}/healthz`, { method: 'POST' })).status).toBe(405);
  });

  test('a port that is taken is one clear error', async () => {
    const url = await open();
    await expect(open({}, { port: { host: '127.0.0.1', port: Number(new URL(url).port) } })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('/healthz and /metrics'),
    });
  });
});

test('the heartbeat is sent while all is well, and only then', async () => {
  const calls: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    calls.push(request);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  let well = true;
  let looks = 0;
  const health = async () => {
    looks++;
    return lookAtHealth(sources({ slack: () => ({ ok: well, text: '' }) }));
  };
  const { port } = server.address() as AddressInfo;
  const heartbeat = startHeartbeat({ url: `http://127.0.0.1:${port}/beat`, health, log: silent, everyMs: 20 });
  onTestFinished(heartbeat.stop);
  await expect.poll(() => calls.length).toBeGreaterThan(2);
  well = false;
  const seen = looks;
  await expect.poll(() => looks).toBeGreaterThan(seen + 1);
  const before = calls.length;
  await expect.poll(() => looks).toBeGreaterThan(seen + 4);
  expect(calls.length).toBe(before);
  well = true;
  await expect.poll(() => calls.length).toBeGreaterThan(before);
});

describe('the board', () => {
  test('shows the queues on loopback, to look at only', async () => {
    const board = await openBoard({ port: 0, realm: 'test', redis: bench.store.redis, log: silent });
    onTestFinished(board.stop);
    const url = `http://127.0.0.1:${board.port}`;
    expect(await (await fetch(url)).text()).toContain('sparkops');
    const { queues }: { queues: { name: string; readOnlyMode: boolean }[] } = JSON.parse(
      await (await fetch(`${url}/api/queues`)).text(),
    );
    expect(queues.map(({ name, readOnlyMode }) => ({ name, readOnlyMode }))).toEqual([
      { name: 'deploys', readOnlyMode: true },
      { name: 'looks', readOnlyMode: true },
    ]);
    expect((await fetch(`${url}/api/queues/deploys/pause`, { method: 'PUT' })).status).toBe(405);
  });
});

test('telemetry: each job that is queued is a span', async () => {
  const telemetry = await openTelemetry('0.1.0');
  const queue = openDeployQueue({ realm: 'test', redis: bench.connect(), log: silent, telemetry });
  onTestFinished(async () => queue.close());
  expect(queue.opts.telemetry).toBe(telemetry);
  expect(telemetry.tracer.startSpan('deploys')).toMatchObject({ end: expect.any(Function) });
});
