export type Value = string | number | boolean;

/** A recipe after reading: sparkrun v2 or eugr v1, made one. `command` is in words, placeholders still in them. */
export interface Recipe {
  /** The file's name without .yaml. */
  name: string;
  description: string;
  model: string;
  runtime: 'vllm-ray' | 'vllm-distributed' | 'sglang' | 'llama-cpp' | 'trtllm' | 'atlas';
  container: string;
  minNodes: number;
  maxNodes?: number;
  defaults: Readonly<Record<string, Value>>;
  env: Readonly<Record<string, string>>;
  /** Environment variable -> secret name, from values `secret:NAME`. */
  secrets: Readonly<Record<string, string>>;
  command: readonly [string, ...string[]];
}
