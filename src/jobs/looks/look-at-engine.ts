import { askMetrics } from '../../cluster/probes/ask-metrics.ts';
import { loadText, tokenRate, type EngineMetrics } from '../../cluster/probes/engine-metrics.ts';
import { httpOver } from '../../cluster/remote/http.ts';
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

/** What an engine does, and what people are told of it. */
export interface EngineSeen {
  health: EngineHealth;
  /** Undefined: it doesn't say. */
  metrics?: EngineMetrics;
}

/** Whether it answers, and what it does. */
export async function lookAtEngine(
  { signal, limitMs: lookMs }: Looking,
  { transport, engine, meanwhile }: EngineLook,
): Promise<EngineSeen> {
  const { uid, node, port } = engine;
  const limitMs = Math.min(lookMs, HEALTH_MS);
  const http = httpOver(async (connectMs) =>
    transport.dial(node, { host: '127.0.0.1', port }, { signal, limitMs: connectMs }),
  );
  try {
    const { status } = await http.request({ method: 'GET', path: '/health', signal, limitMs });
    // An engine that wants an API key is up.
    if (status !== 200 && status !== 401) {
      return { health: { uid, health: 'refused', text: `answers ${status} on port ${port}` } };
    }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const health = error.code === 'unreachable' ? 'refused' : 'silent';
    return { health: { uid, health, text: explain(error).text } };
  }
  const read = async (): Promise<(EngineMetrics & { at: number }) | undefined> => {
    const metrics = await askMetrics(http, { signal, limitMs }).catch(() => undefined);
    return metrics && { ...metrics, at: performance.now() };
  };
  const first = await read();
  if (!first) return { health: { uid, health: 'ok', text: `answers on port ${port}` } };
  if (first.running === 0) return { health: { uid, health: 'ok', text: loadText(first) }, metrics: first };
  await meanwhile.catch(() => undefined);
  const second = await read();
  const text = loadText(second ?? first, second && tokenRate(first, second));
  return { health: { uid, health: 'ok', text }, metrics: second ?? first };
}
