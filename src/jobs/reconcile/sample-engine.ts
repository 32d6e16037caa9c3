import type { Logger } from 'pino';
import { askMetrics } from '../../cluster/probes/ask-metrics.ts';
import { engineHost } from '../../cluster/probes/engine-http.ts';
import { sampleOf } from '../../cluster/probes/engine-state.ts';
import { gpuWatts } from '../../cluster/probes/gpu-text.ts';
import { httpOver } from '../../cluster/remote/http.ts';
import type { Transport } from '../../cluster/remote/transport.ts';
import type { Deployment } from '../deployment.ts';
import { keepSample, samplesOf } from '../samples.ts';
import type { Store } from '../store.ts';

/** With a round every 10 s, this leaves one at least every 30 s, and two workers hardly more than one. */
const OFTEN_ENOUGH_MS = 15_000;
/** A round must not wait long for one engine. */
const LIMIT_MS = 3_000;

export interface SampleEngine {
  store: Store;
  transport: Transport;
  signal: AbortSignal;
  now: () => Date;
  log: Logger;
}

/** Whether nobody has left a sample lately. */
export async function isSampleDue(store: Store, uid: string, now: Date): Promise<boolean> {
  const last = (await samplesOf(store, uid)).at(-1);
  return !last || now.getTime() - last.at >= OFTEN_ENOUGH_MS;
}

/** Leaves a sample of what serves. `gpu`: the line that nvidia-smi on its head has said. */
export async function sampleEngine(
  { store, transport, signal, now, log }: SampleEngine,
  { uid, plan }: Deployment,
  gpu: string | undefined,
): Promise<void> {
  const target = { host: engineHost(plan), port: plan.port };
  const http = httpOver(async (limitMs) => transport.dial(plan.nodes[0].name, target, { signal, limitMs }));
  const metrics = await askMetrics(http, { signal, limitMs: LIMIT_MS });
  const watts = gpu === undefined ? undefined : gpuWatts(gpu);
  if (metrics) await keepSample(store, log, uid, sampleOf(metrics, watts, now().getTime()));
}
