import { listed, nearest } from '../nearest.ts';
import type { Runtime, Value } from '../recipe-file.ts';

const EXPLICIT: readonly Runtime[] = ['vllm-ray', 'vllm-distributed', 'sglang', 'llama-cpp', 'trtllm', 'atlas'];
/** Names of the formats; which vLLM is meant shows in the executor. */
const VLLM = ['vllm', 'eugr-vllm', ''];

/** The engine that a recipe means: `vllm` is vllm-ray when the defaults or the command say `ray`, else vllm-distributed. */
export function resolveRuntime(
  written: string,
  words: readonly string[],
  defaults: Readonly<Record<string, Value>>,
): { runtime: Runtime } | { wrong: string; right: string } {
  const explicit = EXPLICIT.find((runtime) => runtime === written);
  if (explicit) return { runtime: explicit };
  if (!VLLM.includes(written)) {
    const known = [...EXPLICIT, 'vllm'];
    const meant = nearest(written, known);
    const right = meant === undefined ? `Known runtimes: ${listed(known)}` : `Did you mean ${meant}?`;
    return { wrong: `There is no runtime "${written.slice(0, 60)}"`, right };
  }
  const byCommand = written === '' ? runtimeOfCommand(words) : undefined;
  if (byCommand) return { runtime: byCommand };
  return { runtime: executorOf(words, defaults) === 'ray' ? 'vllm-ray' : 'vllm-distributed' };
}

function executorOf(words: readonly string[], defaults: Readonly<Record<string, Value>>): string | undefined {
  const flag = words.findIndex((word) => /^--distributed[-_]executor[-_]backend(=|$)/.test(word));
  const inCommand = flag === -1 ? undefined : (words[flag]?.split('=')[1] ?? words[flag + 1]);
  const byDefault = defaults['distributed_executor_backend'];
  if (inCommand !== undefined && !inCommand.startsWith('{')) return inCommand;
  return byDefault === undefined ? undefined : String(byDefault);
}

function runtimeOfCommand(words: readonly string[]): Runtime | undefined {
  const start = words.slice(0, 3).join(' ');
  if (/^sglang\b|^python3? -m sglang/.test(start)) return 'sglang';
  if (/^llama-server\b/.test(start)) return 'llama-cpp';
  if (/^trtllm-serve\b|^mpirun\b/.test(start)) return 'trtllm';
  if (/^atlas\b/.test(start)) return 'atlas';
  return undefined;
}
