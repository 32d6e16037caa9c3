import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sample } from '../../../src/cluster/probes/engine-state.ts';
import { httpOver } from '../../../src/cluster/remote/http.ts';
import { drain } from '../../../src/jobs/phases/drain.ts';
import { OperatorError } from '../../../src/errors.ts';

let server: Server;
/** What /metrics says; undefined: it answers 503. */
let load: { running: number; waiting: number } | undefined;
let progress: string[];
let samples: Sample[];
let hurry: AbortController;

beforeEach(async () => {
  load = { running: 2, waiting: 1 };
  [progress, samples, hurry] = [[], [], new AbortController()];
  server = createServer((_, response) => {
    if (!load) return void response.writeHead(503).end();
    const lines = [
      `vllm:num_requests_running{engine="0"} ${load.running}`,
      `vllm:num_requests_waiting{engine="0"} ${load.waiting}`,
    ];
    response.end(`${lines.join('\n')}\n`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function draining(limitMs: number, signal: AbortSignal = new AbortController().signal) {
  const { port } = server.address() as AddressInfo;
  const engine = { uid: 'u', http: httpOver(async () => connect(port, '127.0.0.1')) };
  const ctx = {
    signal,
    hurry: hurry.signal,
    progress: async ({ stage }: { stage: string }) => void progress.push(stage),
    leaveSample: async (_uid: string, sample: Sample) => void samples.push(sample),
  };
  return drain(ctx, [engine], Date.now() + limitMs);
}

test('until nothing runs nor waits', async () => {
  const drained = draining(30_000);
  await expect.poll(() => progress[0]).toBe('waits for 3 requests, 30 s left');
  load = { running: 0, waiting: 1 };
  await expect.poll(() => progress.at(-1)).toMatch(/^waits for 1 request, \d\d s left$/);
  load = { running: 0, waiting: 0 };
  expect(await drained).toEqual({ end: 'idle', left: 0 });
  expect(samples.at(0)).toMatchObject({ running: 2, waiting: 1 });
});

test('at most until the deadline; one that is over is a look', async () => {
  expect(await draining(700)).toEqual({ end: 'late', left: 3 });
  progress = [];
  expect(await draining(-5_000)).toEqual({ end: 'late', left: 3 });
  expect(progress).toEqual([]);
});

test('no longer once somebody is in a hurry', async () => {
  const drained = draining(30_000);
  await expect.poll(() => progress.length).toBeGreaterThan(0);
  const begun = performance.now();
  hurry.abort();
  expect(await drained).toEqual({ end: 'hurried', left: 3 });
  expect(performance.now() - begun).toBeLessThan(5_000);
});

test('not for one that does not say what it does, nor for one that is gone', async () => {
  load = undefined;
  expect(await draining(30_000)).toEqual({ end: 'silent', left: 0 });
  server.close();
  const refused = new OperatorError('unreachable', 'refused', { hint: '' });
  const http = httpOver(() => Promise.reject(refused));
  const ctx = {
    signal: new AbortController().signal,
    hurry: hurry.signal,
    progress: () => Promise.resolve(),
    leaveSample: () => Promise.resolve(),
  };
  expect(await drain(ctx, [{ uid: 'u', http }], Date.now() + 30_000)).toEqual({ end: 'silent', left: 0 });
});

test('ends with the run', async () => {
  const run = new AbortController();
  const drained = draining(30_000, run.signal);
  await expect.poll(() => progress.length).toBeGreaterThan(0);
  run.abort(new Error('handed over'));
  await expect(drained).rejects.toThrow('handed over');
});
