import { flagOf } from './known-defaults.ts';

const SHORT: Readonly<Partial<Record<string, string>>> = {
  tensor_parallel: '-tp',
  pipeline_parallel: '-pp',
  data_parallel: '-dp',
};

/** What a command says after the flag of a default: `--max-model-len 8192`, `--max_model_len=8192`, `-tp 2`. */
export function flagValues(words: readonly string[], key: string): string[] {
  const flags = [flagOf(key), `--${key}`, `--${key.replaceAll('_', '-')}`, SHORT[key]];
  return words.flatMap((word, index) => {
    const equals = word.indexOf('=');
    if (!flags.includes(equals === -1 ? word : word.slice(0, equals))) return [];
    return [equals === -1 ? (words[index + 1] ?? '') : word.slice(equals + 1)];
  });
}
