import { checkShape } from '../check-shape.ts';
import type { Problem } from '../config.ts';
import type { Recipe } from '../recipe-file.ts';
import type { YamlFile } from '../yaml-file.ts';
import { generateCommand, readCommand } from './read-command.ts';
import { readDefaults } from './read-defaults.ts';
import { readEnv } from './read-env.ts';
import { RecipeShape, REFUSED, UNUSED } from './recipe-shape.ts';
import { resolveRuntime } from './resolve-runtime.ts';
import { type Say, sayInto } from './say.ts';

export interface RecipeSurroundings {
  /** The recipe's name: its file's, without .yaml. */
  name: string;
  /** Folders below recipes/mods that hold a run.sh. */
  mods: ReadonlySet<string>;
}

/** Reads a recipe of either format, or says everything that keeps it from being used. */
export function readRecipe(
  file: YamlFile,
  { name, mods }: RecipeSurroundings,
): { recipe: Recipe } | { problems: readonly Problem[] } {
  const { value: raw, yaml, problems: misshapen } = checkShape(RecipeShape, file);
  if (!raw) return { problems: misshapen };
  const problems: Problem[] = [...misshapen];
  const say = sayInto(problems, yaml);
  const version = String(raw.recipe_version ?? '2') === '1' ? 1 : 2;

  refuseKeys(raw, say);
  refuseMods(raw.mods ?? [], mods, say);
  const { env, secrets } = readEnv(yaml, raw.env, say);
  const { defaults, decimals } = readDefaults(yaml, raw.defaults, say);
  const noCommand = yaml.doubtful.some((path) => path[0] === 'command');
  const words = noCommand ? [] : readWords(raw, version, defaults, say);
  const model = raw.model ?? defaults['model'] ?? modelOf(words);
  if (model === undefined) say(['model'], 'model is missing', 'Add it, such as model: Qwen/Qwen3.5-122B-A10B-FP8');
  if (raw.container === undefined)
    say(['container'], 'container is missing', 'Name the image, such as container: hellohal2064/vllm-qwen3.5-gb10');
  const runtime = resolveRuntime(raw.runtime ?? '', words, defaults);
  if ('wrong' in runtime) say(['runtime'], runtime.wrong, runtime.right);
  const nodes = nodeCounts(raw, say);

  const [first, ...rest] = words;
  if (problems.length > 0 || first === undefined || 'wrong' in runtime) return { problems };
  const unused = UNUSED.filter((key) => isSet(Reflect.get(raw, key)));
  return {
    recipe: {
      name,
      description: raw.description ?? textOf(raw.metadata?.['description']) ?? '',
      model: String(model),
      runtime: runtime.runtime,
      container: raw.container ?? '',
      ...nodes,
      defaults,
      env,
      secrets,
      command: [first, ...rest],
      ...(decimals.length > 0 && { decimals }),
      ...(unused.length > 0 && { unused }),
    },
  };
}

type Raw = (typeof RecipeShape)['_output'];

function refuseKeys(raw: Raw, say: Say): void {
  for (const [key, { wrong, right }] of Object.entries(REFUSED)) {
    if (isSet(Reflect.get(raw, key))) say([key], wrong, right);
  }
}

function refuseMods(named: readonly string[], mods: ReadonlySet<string>, say: Say): void {
  if (named.length === 0) return;
  const missing = named.map(folderOf).filter((mod) => !mods.has(mod));
  if (missing.length === 0) {
    say(
      ['mods'],
      'mods are not built yet: their run.sh would have to run in every container',
      'Use an image that has them built in',
    );
    return;
  }
  for (const [index, mod] of named.map(folderOf).entries()) {
    if (!missing.includes(mod)) continue;
    const wrong = `The mod ${mod} is not here (and mods are not built yet)`;
    say(
      ['mods', index],
      wrong,
      `Put its folder, with its run.sh, at recipes/mods/${mod}; until then use an image that has it built in`,
    );
  }
}

/** `mods/x`, `@registry/mods/x` and `x` are the folder x. */
function folderOf(mod: string): string {
  return mod.replace(/\/+$/, '').split('/').at(-1) ?? mod;
}

function readWords(raw: Raw, version: 1 | 2, defaults: Recipe['defaults'], say: Say): string[] {
  const text = raw.command ?? undefined;
  if (text !== undefined) return readCommand({ text, version, defaults, model: raw.model }, say);
  const runtime = raw.runtime ?? '';
  if (version === 2 && ['', 'vllm', 'vllm-ray', 'vllm-distributed'].includes(runtime))
    return generateCommand(defaults, say);
  const why = version === 1 ? 'recipe_version 1 needs one' : `sparkops can't make one for ${runtime}`;
  say(['command'], `command is missing, and ${why}`, 'Write it out');
  return [];
}

/** v1 recipes often name the model in the command alone. */
function modelOf(words: readonly string[]): string | undefined {
  const flag = words.findIndex((word) => /^--model(-path)?(=|$)/.test(word));
  const served = words[0] === 'vllm' && words[1] === 'serve' ? words[2] : undefined;
  const named = flag === -1 ? served : (words[flag]?.split('=')[1] ?? words[flag + 1]);
  return named === undefined || /^[-{]/.test(named) ? undefined : named;
}

function nodeCounts(raw: Raw, say: Say): { minNodes: number; maxNodes?: number } {
  const solo = raw.solo_only === true || raw.mode === 'solo';
  const many = raw.cluster_only === true || raw.mode === 'cluster';
  const minNodes = Math.max(raw.min_nodes ?? 1, many ? 2 : 1);
  const maxNodes = solo ? 1 : (raw.max_nodes ?? undefined);
  if (maxNodes !== undefined && maxNodes < minNodes) {
    say(
      [solo ? 'solo_only' : 'max_nodes'],
      `The recipe takes at least ${minNodes} and at most ${maxNodes} nodes`,
      'Mend one of the two',
    );
  }
  return { minNodes, ...(maxNodes !== undefined && { maxNodes }) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
