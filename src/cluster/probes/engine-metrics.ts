export interface EngineMetrics {
  running: number;
  waiting: number;
  /** Since the engine's start. */
  generatedTokens: number;
  /** Begun since the engine's start: those that have ended, however, and those that run. */
  requests: number;
}

/** What /metrics of vLLM says (Prometheus' text format), summed over its engines. Undefined: not of vLLM. */
export function readMetrics(text: string): EngineMetrics | undefined {
  const running = sum(text, 'vllm:num_requests_running');
  if (running === undefined) return undefined;
  return {
    running,
    waiting: sum(text, 'vllm:num_requests_waiting') ?? 0,
    generatedTokens: sum(text, 'vllm:generation_tokens_total') ?? 0,
    requests: running + (sum(text, 'vllm:request_success_total') ?? 0),
  };
}

/** "idle", "3 running, 1 waiting, 26 tok/s". */
export function loadText(
  { running, waiting }: Pick<EngineMetrics, 'running' | 'waiting'>,
  tokensPerSecond?: number,
): string {
  if (running === 0 && waiting === 0) return 'idle';
  return [
    `${running} running`,
    ...(waiting === 0 ? [] : [`${waiting} waiting`]),
    ...(tokensPerSecond === undefined ? [] : [`${Math.round(tokensPerSecond)} tok/s`]),
  ].join(', ');
}

/** Shorter than this, a few tokens more or less would make another rate. */
const SHORTEST_MS = 200;

/** Tokens a second between two looks. `at` in milliseconds. Undefined: too close to each other, or the engine was restarted. */
export function tokenRate(
  first: { generatedTokens: number; at: number },
  second: { generatedTokens: number; at: number },
): number | undefined {
  const [tokens, ms] = [second.generatedTokens - first.generatedTokens, second.at - first.at];
  return ms < SHORTEST_MS || tokens < 0 ? undefined : (tokens * 1_000) / ms;
}

function sum(text: string, name: string): number | undefined {
  const values = text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
  return values.length === 0 ? undefined : values.reduce((total, value) => total + value, 0);
}
