import { OperatorError } from '../errors.ts';
import { portProblem } from './check-together.ts';
import type { Cluster } from './cluster-file.ts';
import { fillCommand } from './fill-command.ts';
import { looksSecret } from './looks-secret.ts';
import { listed, nearest } from './nearest.ts';
import { readOverride } from './read-override.ts';
import { flagValues } from './recipe/flag-values.ts';
import { reachable } from './recipe/placeholders.ts';
import type { Recipe, Value } from './recipe-file.ts';

type Values = Readonly<Record<string, Value>>;

export interface Applied {
  /** The defaults with the overrides over them. */
  values: Values;
  /** What was typed, in the types of the defaults. */
  overrides: Values;
}

/**
 * Puts key=value words from chat over a recipe's defaults. Everything wrong is told in one 'usage' error, which never
 * repeats what looks like a secret; a recipe that is itself above the cluster's caps is a 'config' error.
 */
export function applyOverrides(recipe: Recipe, cluster: Cluster, raw: Readonly<Record<string, string>>): Applied {
  const used = reachable(recipe.command, recipe.defaults);
  const overrides: Record<string, Value> = {};
  const wrong: string[] = [];
  for (const [key, text] of Object.entries(raw)) {
    const problem = looksSecret(text) ? SECRET : keyProblem(recipe, used, key);
    if (problem !== undefined) {
      wrong.push(problem);
      continue;
    }
    const read = readOverride(recipe, key, text);
    if ('wrong' in read) wrong.push(read.wrong);
    else overrides[key] = read.value;
  }
  const values = { ...recipe.defaults, ...overrides };
  const port = Object.hasOwn(overrides, 'port') ? portProblem(Number(overrides['port']), recipe, cluster) : undefined;
  if (port) wrong.push(`${port.wrong}. ${port.right}.`);
  wrong.push(
    ...aboveCaps(recipe, cluster, values)
      .filter((cap) => Object.hasOwn(overrides, cap.key))
      .map((cap) => cap.text),
  );
  if (wrong.length > 0) throw refused(recipe, wrong);
  refuseRecipeAboveCaps(recipe, cluster, values);
  return { values, overrides };
}

const SECRET =
  'A value looks like a secret, so it was neither used nor stored. Secrets are named secret:NAME in the recipe.';

function keyProblem(recipe: Recipe, used: ReadonlySet<string>, key: string): string | undefined {
  const keys = Object.keys(recipe.defaults);
  if (key === 'model') return `The model can't be overridden: deploy the recipe of that model.`;
  if (looksSecret(key)) return SECRET;
  if (!Object.hasOwn(recipe.defaults, key)) {
    const meant = nearest(key, keys);
    const name = key.slice(0, 60);
    return meant === undefined
      ? `The recipe ${recipe.name} has no default "${name}".`
      : `The recipe ${recipe.name} has no default "${name}". Did you mean ${meant}?`;
  }
  if (!used.has(key) && !engineAdds(recipe, key))
    return `${key} would change nothing: the command of ${recipe.name} does not take it from its defaults.`;
  return undefined;
}

/** vllm-ray gives the engine these from the values where the command says nothing of them. */
function engineAdds({ runtime, command }: Recipe, key: string): boolean {
  const added = ['host', 'port', 'tensor_parallel', 'pipeline_parallel'];
  return runtime === 'vllm-ray' && added.includes(key) && flagValues(command, key).length === 0;
}

/** Caps hold for what the engine is told, so the flags of the command count as well as the values. */
function aboveCaps(recipe: Recipe, cluster: Cluster, values: Values): { key: string; text: string; value: number }[] {
  const words = fillCommand(recipe, values);
  return Object.entries(cluster.caps).flatMap(([key, cap]) => {
    const told = [...(Object.hasOwn(values, key) ? [Number(values[key])] : []), ...flagValues(words, key).map(Number)];
    const value = Math.max(...told.filter((number) => !Number.isNaN(number)));
    return value > cap ? [{ key, value, text: `${key} is at most ${cap} on ${cluster.name}.` }] : [];
  });
}

function refuseRecipeAboveCaps(recipe: Recipe, cluster: Cluster, values: Values): void {
  const [first, ...rest] = aboveCaps(recipe, cluster, values);
  if (!first) return;
  const parts = [first, ...rest].map(
    ({ key, value }) => `${key} ${value}, where ${cluster.name} allows at most ${cluster.caps[key]}`,
  );
  const typed = Object.hasOwn(recipe.defaults, first.key)
    ? `Add ${first.key}=${cluster.caps[first.key]}, or change`
    : 'Change';
  throw new OperatorError('config', `The recipe ${recipe.name} has ${listed(parts)}.`, {
    hint: `${typed} the recipe, or the caps in clusters/${cluster.name}.yaml.`,
  });
}

function refused(recipe: Recipe, wrong: readonly string[]): OperatorError {
  const keys = Object.entries(recipe.defaults).map(([key, value]) =>
    String(value).length > 24 ? key : `${key}=${value}`,
  );
  const hint =
    keys.length === 0
      ? `${recipe.name} has no defaults to override.`
      : `${recipe.name} has: ${listed(keys, { max: 20 })}.`;
  return new OperatorError('usage', wrong.join(' '), { hint });
}
