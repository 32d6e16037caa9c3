import { flagValues } from '../engines/serve-command.ts';
import type { Machine } from '../machine.ts';
import type { Plan } from '../plan.ts';
import { type Http, httpOver } from '../remote/http.ts';

/** HTTP to the engine through the head's own connection: works wherever the engine's port is not open to us. */
export function engineHttp(head: Machine, plan: Plan): Http {
  const target = { host: engineHost(plan), port: plan.port };
  return httpOver((limitMs) => head.dial(target, { limitMs }));
}

/** Where the head itself finds the engine. */
export function engineHost({ serve }: Plan): string {
  const host = flagValues(serve.argv, '--host').at(-1) ?? '';
  return ANY.has(host) ? '127.0.0.1' : host;
}

const ANY = new Set(['', '0.0.0.0', '::', 'localhost']);

/** The variable from which vLLM takes the key that clients must show. */
export const API_KEY_VARIABLE = 'VLLM_API_KEY';
