import { loadText, readMetrics, tokenRate, type EngineMetrics } from '../../cluster/probes/engine-metrics.ts';
import { httpOver, type Http } from '../../cluster/remote/http.ts';
import type { Transport } from '../../cluster/remote/transport.ts';
import { explain, OperatorError } from '../../errors.ts';
import type { EngineAt, EngineHealth } from './look-requests.ts';
import type { Looking } from './run-look.ts';

const HEALTH_MS = 5_000;

interface EngineLook {
  transport: Transport;
  engine: EngineAt;
  /** The rate of tokens is measured while this goes on. */
  meanwhile: Promise<unknown>;
}

/** Whether it answers, and what it does. */
export async function lookAtEngine(
  { signal, limitMs }: Looking,
  { transport, engine, meanwhile }: EngineLook,
): Promise<EngineHealth> {
  const { uid, node, port } = engine;
  const http = httpOver(async (connectMs) =>
    transport.dial(node, { host: '127.0.0.1', port }, { signal, limitMs: connectMs }),
  );
  const get = (path: string) => http.request({ method: 'GET', path, signal, limitMs: Math.min(limitMs, HEALTH_MS) });
  try {
    const { status } = await get('/health');
    // An engine that wants an API key is up.
    if (status !== 200 && status !== 401) return { uid, health: 'refused', text: `answers ${status} on port ${port}` };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const health = error.code === 'unreachable' ? 'refused' : 'silent';
    return { uid, health, text: explain(error).text };
  }
  return { uid, health: 'ok', text: (await doing(get, meanwhile)) ?? `answers on port ${port}` };
}

/** Undefined: it doesn't say. */
async function doing(get: (path: string) => ReturnType<Http['request']>, meanwhile: Promise<unknown>) {
  const read = async (): Promise<(EngineMetrics & { at: number }) | undefined> => {
    const answer = await get('/metrics').catch(() => undefined);
    const metrics = answer?.status === 200 ? readMetrics(answer.body) : undefined;
    return metrics && { ...metrics, at: performance.now() };
  };
  const first = await read();
  if (!first || first.running === 0) return first && loadText(first);
  await meanwhile.catch(() => undefined);
  const second = await read();
  return loadText(second ?? first, second && tokenRate(first, second));
}
