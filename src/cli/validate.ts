import { APPROVAL_ACTIONS, policyFor } from '../config/approvals.ts';
import { loadConfig } from '../config/load-config.ts';
import { problemLine } from '../config/problem-line.ts';
import type { Config, Problem } from '../config/config.ts';
import { includes, isRight, readWho, RIGHTS, type Right, type Rights } from '../config/rights.ts';

/** Checks all configuration without touching a node, and writes what it found. Returns the exit code: 0, or 2 with problems. */
export async function validate(folder: string, write: (text: string) => void): Promise<number> {
  const { config, problems } = await loadConfig(folder);
  for (const [, ofFile] of byFile(problems)) write(`${ofFile.map(problemLine).join('\n')}\n\n`);
  if (config) for (const note of notes(config)) write(`${note}\n`);
  if (problems.length === 0 && config) {
    const { clusters, recipes, revision } = config;
    write(
      `All is well: ${counted(clusters.size, 'cluster')}, ${counted(recipes.size, 'recipe')}, revision ${revision}.\n`,
    );
    return 0;
  }
  const files = byFile(problems).size;
  const rest = config ? ` ${counted(config.recipes.size, 'recipe')} can be used.` : '';
  write(`${counted(problems.length, 'problem')} in ${counted(files, 'file')}.${rest}\n`);
  return 2;
}

function notes(config: Config): string[] {
  const unused = [...config.recipes.values()]
    .filter((recipe) => recipe.unused !== undefined)
    .map(({ name, unused = [] }) => `Note: recipes/${name}.yaml: sparkops does not act on ${unused.join(', ')}.`);
  return [...nobody(config).map((note) => `Note: sparkops.yaml: ${note}`), ...unused];
}

/** What nobody could do: found out now, not at three in the morning. */
function nobody({ sparkops, clusters }: Config): string[] {
  const some = listedWith(sparkops.rights, 'operator').length > 0;
  const policies = [...clusters.keys()].flatMap((cluster) =>
    APPROVAL_ACTIONS.map((action) => ({ action, cluster, policy: policyFor(sparkops, { action, cluster }) })),
  );
  const stuck = policies.filter(({ policy }) => decidersOf(sparkops.rights, policy.from) < policy.required);
  const [first] = stuck;
  return [
    ...(some ? [] : ['rights lists no operator, so nobody may deploy, stop or cancel.']),
    ...(first
      ? [
          `approvals need ${counted(first.policy.required, 'person', 'people')} of ${first.policy.from.join(', ')} ` +
            `(${stuck.length === policies.length ? 'everywhere' : `${first.action} on ${first.cluster}`}), and rights lists fewer.`,
        ]
      : []),
  ];
}

/** How many may decide, as far as it is written here: a user group may hold any number. */
function decidersOf(rights: Rights, from: readonly string[]): number {
  const names = new Set(from.flatMap((name) => (isRight(name) ? listedWith(rights, name) : [name])));
  return [...names].some((name) => readWho(name)?.kind === 'group') ? Number.POSITIVE_INFINITY : names.size;
}

function listedWith(rights: Rights, needed: Right): readonly string[] {
  return RIGHTS.filter((right) => includes(right, needed)).flatMap((right) => rights[right]);
}

function byFile(problems: readonly Problem[]): Map<string, Problem[]> {
  const files = new Map<string, Problem[]>();
  for (const problem of problems) files.set(problem.file, [...(files.get(problem.file) ?? []), problem]);
  return files;
}

function counted(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}
