import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { OperatorError } from '../errors.ts';
import { checkShape } from './check-shape.ts';
import { checkApprovals } from './check-approvals.ts';
import { checkCluster } from './check-cluster.ts';
import { checkRights, withoutOperators } from './check-rights.ts';
import { checkTogether } from './check-together.ts';
import { checkTimeouts } from './check-timeouts.ts';
import { type Cluster, ClusterFile, Name } from './cluster-file.ts';
import type { Config, Problem } from './config.ts';
import { readConfigFolder } from './config-folder.ts';
import { problemLine } from './problem-line.ts';
import { readRecipe } from './recipe/read-recipe.ts';
import type { Recipe } from './recipe-file.ts';
import { revision } from './revision.ts';
import { SparkopsFile } from './sparkops-file.ts';
import { readYaml, type YamlFile } from './yaml-file.ts';

/** With a config, the problems are those of recipes that can't be used; without one, something that all deploys need is wrong. */
export type LoadedConfig =
  | { config: Config; problems: readonly Problem[] }
  | { config: undefined; problems: readonly Problem[] };

/** Reads and checks everything below the configuration folder. All problems at once, by file and line. */
export async function loadConfig(path: string): Promise<LoadedConfig> {
  const folder = resolve(path);
  const { files, mods, problems: unreadable } = await readConfigFolder(folder);
  const fatal: Problem[] = unreadable.filter(
    (problem) => !problem.file.startsWith('recipes/') || problem.file === 'recipes/',
  );
  const brokenRecipes = new Map<string, readonly Problem[]>();
  for (const problem of unreadable.filter((one) => !fatal.includes(one)))
    brokenRecipes.set(nameOf(problem.file), [problem]);

  let sparkops: SparkopsFile | undefined;
  const clusters = new Map<string, Cluster>();
  const recipes = new Map<string, Recipe>();
  const yamls = new Map<string, YamlFile>();
  for (const { name: file, content } of files.filter(({ name }) => !name.startsWith('failures/'))) {
    const yaml = readYaml(file, content);
    const name = nameOf(file);
    yamls.set(file, yaml);
    if (file === 'sparkops.yaml') sparkops = readSparkops(yaml, fatal);
    else if (file.startsWith('clusters/')) {
      const read = readCluster(yaml, { name, folder, taken: clusters.has(name) }, fatal);
      if (!read) continue;
      clusters.set(name, read.cluster);
      yamls.set(file, read.yaml);
    } else {
      const read = readNamedRecipe(yaml, { name, mods, taken: recipes.has(name) || brokenRecipes.has(name) });
      if ('recipe' in read) recipes.set(name, read.recipe);
      else brokenRecipes.set(name, [...(brokenRecipes.get(name) ?? []), ...read.problems]);
    }
  }
  const together = checkTogether({ sparkops, clusters, recipes, yamls });
  fatal.push(...together.fatal);
  for (const [name, problems] of together.recipes) {
    recipes.delete(name);
    brokenRecipes.set(name, problems);
  }
  for (const name of brokenRecipes.keys()) recipes.delete(name);
  const problems = [...fatal, ...[...brokenRecipes.values()].flat()].toSorted(byPlace);
  if (fatal.length > 0 || !sparkops) return { config: undefined, problems };
  const config = { folder, sparkops, clusters, recipes, brokenRecipes, revision: revision(files) };
  return { config, problems };
}

/** The configuration, or an error that lists what is wrong. Recipes that can't be used don't count: findRecipe tells of them. */
export async function readConfig(folder: string): Promise<Config> {
  const { config, problems } = await loadConfig(folder);
  if (config) return config;
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  throw new OperatorError('config', `The configuration in ${resolve(folder)} has ${count}.`, {
    hint: `Mend ${problems.length === 1 ? 'it' : 'them'}; sparkops validate shows everything.`,
    lines: problems.map(problemLine),
  });
}

function readSparkops(file: YamlFile, problems: Problem[]): SparkopsFile | undefined {
  const current = withoutOperators(file);
  const { value, yaml, problems: misshapen } = checkShape(SparkopsFile, current.yaml);
  problems.push(...current.problems, ...misshapen);
  if (value) {
    const checks = [checkTimeouts(value.timeouts, yaml), checkRights(value, yaml), checkApprovals(value, yaml)];
    problems.push(...checks.flat());
  }
  return value;
}

function readCluster(
  file: YamlFile,
  { name, folder, taken }: { name: string; folder: string; taken: boolean },
  problems: Problem[],
): { cluster: Cluster; yaml: YamlFile } | undefined {
  if (taken) problems.push(twice(file.file, 'cluster', name));
  if (!Name.safeParse(name).success) {
    const right = 'Rename the file: a-z, 0-9 and -, starting with a letter, at most 31';
    problems.push({ file: file.file, wrong: `"${name}" can't be the name of a cluster`, right });
  }
  const { value, yaml, problems: misshapen } = checkShape(ClusterFile, file);
  problems.push(...misshapen, ...(value ? checkCluster(value, yaml) : []));
  return value && { cluster: { ...value, name, ssh: withPaths(value.ssh, folder) }, yaml };
}

function readNamedRecipe(
  yaml: YamlFile,
  { name, mods, taken }: { name: string; mods: ReadonlySet<string>; taken: boolean },
): ReturnType<typeof readRecipe> {
  if (taken) return { problems: [twice(yaml.file, 'recipe', name)] };
  if (!/^[A-Za-z0-9][\w.-]{0,62}$/.test(name)) {
    const right = 'Rename the file: letters, digits and . _ -, starting with a letter or digit, at most 63';
    return { problems: [{ file: yaml.file, wrong: `"${name}" can't be the name of a recipe`, right }] };
  }
  return readRecipe(yaml, { name, mods });
}

/** `~` is the home of whoever runs the bot; other relative paths begin at the configuration folder. */
function withPaths(ssh: Cluster['ssh'], folder: string): Cluster['ssh'] {
  const place = (path: string) => resolve(folder, path.replace(/^~(?=\/|$)/, homedir()));
  return {
    ...ssh,
    ...(ssh.key !== undefined && { key: place(ssh.key) }),
    ...(ssh.known_hosts !== undefined && { known_hosts: place(ssh.known_hosts) }),
  };
}

function twice(file: string, kind: string, name: string): Problem {
  return { file, wrong: `There is a second file for the ${kind} ${name}`, right: 'Keep the one that ends in .yaml' };
}

function nameOf(file: string): string {
  return file.replace(/^.*\//, '').replace(/\.ya?ml$/, '');
}

function byPlace(a: Problem, b: Problem): number {
  return a.file === b.file ? (a.line ?? 0) - (b.line ?? 0) : a.file < b.file ? -1 : 1;
}
