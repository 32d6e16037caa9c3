import { loadConfig } from '../config/load-config.ts';
import { problemLine } from '../config/problem-line.ts';
import type { Config, Problem } from '../config/config.ts';

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

function notes({ sparkops, recipes }: Config): string[] {
  const nobody = 'Note: sparkops.yaml: operators is empty, so nobody may deploy, stop or cancel.';
  const unused = [...recipes.values()]
    .filter((recipe) => recipe.unused !== undefined)
    .map(({ name, unused = [] }) => `Note: recipes/${name}.yaml: sparkops does not act on ${unused.join(', ')}.`);
  return [...(sparkops.operators.length === 0 ? [nobody] : []), ...unused];
}

function byFile(problems: readonly Problem[]): Map<string, Problem[]> {
  const files = new Map<string, Problem[]>();
  for (const problem of problems) files.set(problem.file, [...(files.get(problem.file) ?? []), problem]);
  return files;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
