/** Limits of well-known numbers, whatever type a recipe gives them: `max_model_len: auto` may still be set to a number. */
export const NUMBERS: Readonly<Partial<Record<string, { whole: boolean; min: number; max: number }>>> = {
  port: { whole: true, min: 1024, max: 65_535 },
  tensor_parallel: { whole: true, min: 1, max: 64 },
  pipeline_parallel: { whole: true, min: 1, max: 64 },
  data_parallel: { whole: true, min: 1, max: 64 },
  gpu_memory_utilization: { whole: false, min: 0.01, max: 1 },
  max_model_len: { whole: true, min: 1, max: 100_000_000 },
  max_num_batched_tokens: { whole: true, min: 1, max: 100_000_000 },
  max_num_seqs: { whole: true, min: 1, max: 100_000 },
};

/** Keys of `defaults` whose vLLM flag is not just the key with dashes. */
const RENAMED: Readonly<Partial<Record<string, string>>> = {
  tensor_parallel: '--tensor-parallel-size',
  pipeline_parallel: '--pipeline-parallel-size',
  data_parallel: '--data-parallel-size',
};

const WITH_VALUE = [
  'host port tensor_parallel pipeline_parallel data_parallel gpu_memory_utilization max_model_len max_num_seqs',
  'max_num_batched_tokens served_model_name dtype quantization kv_cache_dtype tool_call_parser reasoning_parser',
  'load_format distributed_executor_backend attention_backend tokenizer tokenizer_mode chat_template block_size',
  'speculative_config compilation_config hf_overrides override_generation_config generation_config seed swap_space',
  'cpu_offload_gb max_cudagraph_capture_size moe_backend limit_mm_per_prompt mm_encoder_tp_mode runner revision',
]
  .join(' ')
  .split(' ');

const SWITCHES = [
  'trust_remote_code enable_auto_tool_choice enable_prefix_caching enable_chunked_prefill enable_expert_parallel',
  'enforce_eager async_scheduling language_model_only',
]
  .join(' ')
  .split(' ');

/** Switches that are on unless `--no-...` is said. */
const NEGATABLE = ['enable_prefix_caching', 'enable_chunked_prefill', 'async_scheduling'];

/** Keys that sparkops knows without any recipe. */
export const KNOWN_DEFAULTS: readonly string[] = [...WITH_VALUE, ...SWITCHES];

/** The flag that carries a default. */
export function flagOf(key: string): string {
  return RENAMED[key] ?? `--${key.replaceAll('_', '-')}`;
}

/** The words that vLLM needs for a default, or undefined when its flag is not known. */
export function vllmWords(key: string, value: string | number | boolean): string[] | undefined {
  if (SWITCHES.includes(key)) {
    if (value === true) return [flagOf(key)];
    if (value !== false) return undefined;
    return NEGATABLE.includes(key) ? [`--no-${flagOf(key).slice(2)}`] : [];
  }
  if (!WITH_VALUE.includes(key) || typeof value === 'boolean') return undefined;
  return [flagOf(key), `{${key}}`];
}
