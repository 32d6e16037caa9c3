import { checkApprovalClusters } from './check-approvals.ts';
import { RAY_WORKER_PORTS } from './check-cluster.ts';
import type { Cluster } from './cluster-file.ts';
import type { Problem } from './config.ts';
import { fillCommand } from './fill-command.ts';
import { nearest } from './nearest.ts';
import { flagValues } from './recipe/flag-values.ts';
import { KNOWN_DEFAULTS } from './recipe/known-defaults.ts';
import { sayInto } from './recipe/say.ts';
import { valueAt } from './repair.ts';
import type { Recipe } from './recipe-file.ts';
import type { SparkopsFile } from './sparkops-file.ts';
import { isTolerated } from './tolerates.ts';
import type { YamlFile } from './yaml-file.ts';

export interface Read {
  sparkops: SparkopsFile | undefined;
  clusters: ReadonlyMap<string, Cluster>;
  recipes: ReadonlyMap<string, Recipe>;
  yamls: ReadonlyMap<string, YamlFile>;
}

/** What only shows when files are seen side by side. */
export function checkTogether(read: Read): { fatal: Problem[]; recipes: Map<string, Problem[]> } {
  const recipes = new Map<string, Problem[]>();
  for (const recipe of read.recipes.values()) {
    const problems = checkPort(recipe, read);
    if (problems.length > 0) recipes.set(recipe.name, problems);
  }
  const fatal = [...checkCaps(read), ...checkTolerates(read), ...checkShared(read), ...checkApproved(read)];
  return { fatal, recipes };
}

/** A cluster whose file is broken has its name all the same. */
function checkApproved({ sparkops, yamls }: Read): Problem[] {
  const yaml = yamls.get('sparkops.yaml');
  if (!sparkops || !yaml) return [];
  const files = [...yamls.keys()].flatMap((file) => /^clusters\/(.+)\.ya?ml$/.exec(file)?.[1] ?? []);
  return checkApprovalClusters(sparkops, yaml, files);
}

/** A cap on a key that nothing has would guard nothing. Recipes that can't be used may still have the key. */
function checkCaps({ clusters, yamls }: Read): Problem[] {
  const recipes = [...yamls.values()].filter((yaml) => yaml.file.startsWith('recipes/'));
  if (recipes.some((yaml) => yaml.value === undefined)) return [];
  const known = new Set([
    ...KNOWN_DEFAULTS,
    ...recipes.flatMap((yaml) => Object.keys(Object(valueAt(yaml.value, ['defaults'])))),
  ]);
  const problems: Problem[] = [];
  for (const cluster of clusters.values()) {
    for (const key of Object.keys(cluster.caps).filter((cap) => !known.has(cap))) {
      const meant = nearest(key, known);
      const right = meant === undefined ? 'Name a key of the defaults of a recipe' : `Did you mean ${meant}?`;
      sayOf(
        problems,
        'clusters',
        cluster.name,
        yamls,
      )(['caps', key], `No recipe has ${key}, so the cap guards nothing`, right);
    }
  }
  return problems;
}

/** By the image of a recipe, a model that somebody has started by hand would be tolerated. */
function checkTolerates({ clusters, recipes, yamls }: Read): Problem[] {
  const problems: Problem[] = [];
  for (const cluster of clusters.values()) {
    for (const [index, each] of cluster.tolerates.entries()) {
      const recipe = [...recipes.values()].find(({ container }) => isTolerated([each], { image: container }));
      if (!recipe) continue;
      const wrong = `tolerates names ${each}, the image of the recipe ${recipe.name}, so a model started by hand would be tolerated`;
      sayOf(problems, 'clusters', cluster.name, yamls)(['tolerates', index], wrong, 'Name the container instead');
    }
  }
  return problems;
}

/** The claim is per cluster: a machine in two of them could be given away twice. Behind a jump the same address may be another machine. */
function checkShared({ clusters, yamls }: Read): Problem[] {
  const problems: Problem[] = [];
  const seen = new Map<string, string>();
  for (const cluster of clusters.values()) {
    for (const [index, node] of cluster.nodes.entries()) {
      if (node.via.length > 0) continue;
      const address = `${node.address}:${node.port}`;
      const other = seen.get(address);
      if (other !== undefined && other !== cluster.name) {
        const right = 'A machine belongs to one cluster: describe both uses there';
        sayOf(
          problems,
          'clusters',
          cluster.name,
          yamls,
        )(['nodes', index, 'address'], `${address} is in the cluster ${other} too`, right);
      }
      seen.set(address, cluster.name);
    }
  }
  return problems;
}

function checkPort(recipe: Recipe, { clusters, yamls }: Read): Problem[] {
  const problems: Problem[] = [];
  const ports = [recipe.defaults['port'], ...flagValues(fillCommand(recipe, recipe.defaults), 'port')].map(Number);
  for (const cluster of clusters.values()) {
    const [problem] = ports.flatMap((port) => portProblem(port, recipe, cluster) ?? []);
    if (problem) sayOf(problems, 'recipes', recipe.name, yamls)(['defaults', 'port'], problem.wrong, problem.right);
  }
  return problems.slice(0, 1);
}

/** Why the engine can't listen on a port of this cluster's head. */
export function portProblem(
  port: number,
  { runtime }: Recipe,
  cluster: Cluster,
): { wrong: string; right: string } | undefined {
  const head = cluster.nodes.find((node) => node.role === 'head');
  const right = 'Choose another, such as 8000';
  if (port === 6379) return { wrong: "port is 6379, which is Redis's port: it may live on the head", right };
  if (port === head?.port) return { wrong: `port is ${port}, where ${head.name} has its SSH server`, right };
  if (runtime !== 'vllm-ray') return undefined;
  if (port === cluster.ray_port)
    return { wrong: `port is ${port}, which is the ray_port of the cluster ${cluster.name}`, right };
  if (port >= RAY_WORKER_PORTS.from && port <= RAY_WORKER_PORTS.to) {
    return { wrong: `port is ${port}, among the ports that Ray gives to its workers`, right };
  }
  return undefined;
}

function sayOf(problems: Problem[], folder: string, name: string, yamls: Read['yamls']): ReturnType<typeof sayInto> {
  const yaml = yamls.get(`${folder}/${name}.yaml`) ?? yamls.get(`${folder}/${name}.yml`);
  if (!yaml) throw new Error(`no file was read for ${folder}/${name}`);
  return sayInto(problems, yaml);
}
