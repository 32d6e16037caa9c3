export type Value = string | number | boolean;

export type Runtime = 'vllm-ray' | 'vllm-distributed' | 'sglang' | 'llama-cpp' | 'trtllm' | 'atlas';

/** A recipe after reading: sparkrun v2 or eugr v1, made one. `command` is in words, placeholders still in them. */
export interface Recipe {
  /** The file's name without .yaml. */
  name: string;
  description: string;
  model: string;
  runtime: Runtime;
  container: string;
  minNodes: number;
  maxNodes?: number;
  defaults: Readonly<Record<string, Value>>;
  /** Keys of `defaults` that were written with a decimal point, such as 1.0: they take fractions. */
  decimals?: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Environment variable -> secret name, from values `secret:NAME`. */
  secrets: Readonly<Record<string, string>>;
  /** `{name}` is filled from the defaults and `{model}` by fillCommand; all other braces are text. */
  command: readonly [string, ...string[]];
  /** Keys of the file that other launchers act on and sparkops doesn't. */
  unused?: readonly string[];
}
