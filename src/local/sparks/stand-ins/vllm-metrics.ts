export interface Counters {
  running: number;
  prompt: number;
  generated: number;
  finished: number;
}

/** The lines of /metrics that people watch. */
export function metricsText(model: string, counters: Counters): string {
  const labels = `{engine="0",model_name="${model}"}`;
  const lines = [
    ['gauge', 'vllm:num_requests_running', '', counters.running],
    ['gauge', 'vllm:num_requests_waiting', '', 0],
    ['gauge', 'vllm:kv_cache_usage_perc', '', counters.running * 0.006],
    ['counter', 'vllm:prompt_tokens', '_total', counters.prompt],
    ['counter', 'vllm:generation_tokens', '_total', counters.generated],
    ['counter', 'vllm:request_success', '_total', counters.finished],
  ] as const;
  return lines
    .map(([type, name, end, value]) => `# TYPE ${name}${end} ${type}\n${name}${end}${labels} ${value}\n`)
    .join('');
}
