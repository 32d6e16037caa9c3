import { OperatorError } from '../../errors.ts';
import type { Http, HttpAnswer } from '../remote/http.ts';

export type EngineHealth =
  | { state: 'ready'; text: string }
  /** It answers, but is not ready. */
  | { state: 'busy'; text: string }
  /** Nothing answers. */
  | { state: 'silent'; text: string }
  /** It is ready, with models of other names. */
  | { state: 'other-model'; names: readonly string[] };

export interface HealthOptions {
  servedName: string;
  signal: AbortSignal;
  limitMs: number;
}

/** /health, then /v1/models. An engine that asks for a key is up. */
export async function engineHealth(http: Http, { servedName, signal, limitMs }: HealthOptions): Promise<EngineHealth> {
  const get = (path: string): Promise<HttpAnswer> => http.request({ method: 'GET', path, signal, limitMs });
  try {
    const health = await get('/health');
    if (health.status === 401) return { state: 'ready', text: 'asks for a key' };
    if (health.status !== 200) return { state: 'busy', text: `/health answers ${health.status}` };

    const models = await get('/v1/models');
    if (models.status === 401) return { state: 'ready', text: 'asks for a key' };
    if (models.status !== 200) return { state: 'busy', text: `/v1/models answers ${models.status}` };
    const names = modelNames(models.body);
    return names.includes(servedName) ? { state: 'ready', text: servedName } : { state: 'other-model', names };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OperatorError) return { state: 'silent', text: error.message };
    throw error;
  }
}

function modelNames(body: string): string[] {
  try {
    const list = JSON.parse(body) as { data?: { id?: string }[] };
    return (list.data ?? []).flatMap(({ id }) => id ?? []);
  } catch {
    return [];
  }
}
