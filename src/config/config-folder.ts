import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Problem } from './config.ts';
import { nearest } from './nearest.ts';

export interface ConfigFolder {
  /** In the order in which the revision is made. */
  files: readonly { name: string; content: Uint8Array }[];
  /** Folders below recipes/mods that hold a run.sh. */
  mods: ReadonlySet<string>;
  problems: readonly Problem[];
}

const LARGEST = 1_000_000;

/** Reads sparkops.yaml and the YAML files of clusters, recipes and failures. Links are followed, hidden files passed over. */
export async function readConfigFolder(folder: string): Promise<ConfigFolder> {
  const entries = await namesIn(folder);
  if (!entries) {
    const wrong = `There is no configuration folder ${folder}`;
    return {
      files: [],
      mods: new Set(),
      problems: [{ file: '.', wrong, right: 'Name the folder that holds sparkops.yaml' }],
    };
  }
  const problems: Problem[] = [];
  for (const needed of ['sparkops.yaml', 'clusters', 'recipes'].filter((name) => !entries.includes(name))) {
    problems.push(missing(needed, entries));
  }
  const paths = entries.includes('sparkops.yaml') ? ['sparkops.yaml'] : [];
  for (const below of ['clusters', 'recipes', 'failures'].filter((name) => entries.includes(name))) {
    const names = await namesIn(join(folder, below));
    if (!names)
      problems.push({
        file: below,
        wrong: `${below} is not a folder that can be read`,
        right: `Make ${below} a folder`,
      });
    const yamls = (names ?? []).filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.'));
    if (names && yamls.length === 0 && below === 'clusters') {
      problems.push({ file: below, wrong: 'No cluster is described', right: 'Add clusters/NAME.yaml' });
    }
    paths.push(...yamls.map((name) => `${below}/${name}`));
  }
  const files: { name: string; content: Uint8Array }[] = [];
  for (const name of paths) {
    const read = await readOne(join(folder, name));
    if ('wrong' in read) problems.push({ file: name, ...read });
    else files.push({ name, content: read.content });
  }
  return { files, mods: await modsIn(join(folder, 'recipes', 'mods')), problems };
}

function missing(needed: string, entries: readonly string[]): Problem {
  const file = needed.endsWith('.yaml') ? needed : `${needed}/`;
  const known = ['sparkops.yaml', 'clusters', 'recipes', 'failures'];
  const like = nearest(
    needed,
    entries.filter((name) => !known.includes(name)),
  );
  return { file, wrong: `${file} is missing`, right: like === undefined ? `Add ${file}` : `Rename ${like} to it` };
}

async function readOne(path: string): Promise<{ content: Uint8Array } | { wrong: string; right: string }> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return { wrong: 'This is not a file', right: 'Put a YAML file in its place' };
    if (found.size > LARGEST) return { wrong: `The file has ${found.size} bytes`, right: 'It may have at most 1 MB' };
    return { content: await readFile(path) };
  } catch (error) {
    return {
      wrong: `The file can't be read (${codeOf(error)})`,
      right: 'Check that it exists and that the bot may read it',
    };
  }
}

async function modsIn(folder: string): Promise<Set<string>> {
  const mods = new Set<string>();
  for (const name of (await namesIn(folder)) ?? []) {
    const script = await stat(join(folder, name, 'run.sh')).catch(() => undefined);
    if (script?.isFile()) mods.add(name);
  }
  return mods;
}

async function namesIn(folder: string): Promise<string[] | undefined> {
  const names = await readdir(folder).catch(() => undefined);
  return names?.toSorted();
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
