import { OperatorError } from '../../errors.ts';
import type { Http } from '../remote/http.ts';
import { readMetrics, type EngineMetrics } from './engine-metrics.ts';

/** What /metrics says now; undefined: nothing answers, or it is not of vLLM. Rejects with the signal's reason. */
export async function askMetrics(
  http: Http,
  { signal, limitMs }: { signal: AbortSignal; limitMs: number },
): Promise<EngineMetrics | undefined> {
  try {
    const { status, body } = await http.request({ method: 'GET', path: '/metrics', signal, limitMs });
    return status === 200 ? readMetrics(body) : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OperatorError) return undefined;
    throw error;
  }
}
