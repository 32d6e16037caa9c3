import { expect, test } from 'vitest';
import { loadText, readMetrics, tokenRate } from '../../../src/cluster/probes/engine-metrics.ts';

test('requests and tokens, over all engines', () => {
  const text = `# HELP vllm:num_requests_running Number of requests.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="a b"} 2.0
vllm:num_requests_running{engine="1",model_name="a b"} 1.0
vllm:num_requests_waiting{engine="0",model_name="a b"} 4.0
vllm:num_requests_waiting_by_reason{engine="0",reason="capacity"} 4.0
vllm:generation_tokens_total{engine="0",model_name="a b"} 1.2e+06
vllm:request_success_total{engine="0",finished_reason="stop",model_name="a b"} 40.0
vllm:request_success_total{engine="1",finished_reason="length",model_name="a b"} 2.0
`;
  expect(readMetrics(text)).toEqual({ running: 3, waiting: 4, generatedTokens: 1_200_000, requests: 45 });
});

test('of another engine', () => {
  expect(readMetrics('sglang:num_running_reqs 1\n')).toBeUndefined();
});

test.each([
  [{ running: 0, waiting: 0 }, undefined, 'idle'],
  [{ running: 3, waiting: 0 }, undefined, '3 running'],
  [{ running: 3, waiting: 2 }, 26.4, '3 running, 2 waiting, 26 tok/s'],
  [{ running: 2, waiting: 5 }, 0, '2 running, 5 waiting, 0 tok/s'],
])('%j at %s', (metrics, rate, text) => {
  expect(loadText(metrics, rate)).toBe(text);
});

test('a rate needs some time, and one engine', () => {
  const first = { generatedTokens: 1_000, at: 0 };
  expect(tokenRate(first, { generatedTokens: 1_027, at: 1_000 })).toBe(27);
  expect(tokenRate(first, { generatedTokens: 1_001, at: 50 })).toBeUndefined();
  expect(tokenRate(first, { generatedTokens: 3, at: 1_000 })).toBeUndefined();
});
