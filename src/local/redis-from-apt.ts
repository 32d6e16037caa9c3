import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';

/** A server's program, and the folders of libraries that it needs besides the system's. */
export interface RedisProgram {
  program: string;
  libraries: readonly string[];
}

const TOOLS = ['apt-get', 'apt-cache', 'dpkg', 'dpkg-query'];
const STEP_LIMIT_MS = 60_000;
const PACKAGES = ['redis-server', 'redis-tools'];

/**
 * Debian's own packages, unpacked into `cache` without root and without installing anything.
 * Undefined where there is no apt or its archive can't be reached (the reason goes to `log`).
 */
export async function redisFromApt(options: {
  cache: string;
  path: string;
  log: (line: string) => void;
}): Promise<RedisProgram | undefined> {
  const root = join(options.cache, 'root');
  const kept = await unpacked(root);
  if (kept) return kept;
  for (const tool of TOOLS) if (!(await findProgram([tool], options.path))) return undefined;
  await mkdir(options.cache, { recursive: true });
  const work = await mkdtemp(join(options.cache, 'fetch-'));
  try {
    options.log(
      'No Redis on this machine: fetching the packages of this distribution (under 2 MB, nothing is installed)',
    );
    await fetchPackages(work, options.path);
    // Whoever comes second finds the folder there, which is just as good.
    await rename(join(work, 'root'), root).catch(() => undefined);
    return await unpacked(root);
  } catch (error) {
    options.log(`The packages could not be fetched: ${error instanceof Error ? error.message.trim() : String(error)}`);
    return undefined;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function fetchPackages(work: string, path: string): Promise<void> {
  const downloads = join(work, 'debs');
  for (const folder of [downloads, join(work, 'lists/partial'), join(work, 'archives/partial')]) {
    await mkdir(folder, { recursive: true });
  }
  const places = ['-o', `Dir::State::lists=${work}/lists`, '-o', `Dir::Cache=${work}`, '-o', 'APT::Sandbox::User='];
  const run = async (program: string, ...args: string[]) => {
    const options = { cwd: downloads, timeout: STEP_LIMIT_MS, maxBuffer: 10_000_000 };
    const env = { ...process.env, PATH: path, LC_ALL: 'C' };
    return (await promisify(execFile)(program, args, { ...options, env })).stdout;
  };
  await run('apt-get', ...places, '-q', 'update');
  const wanted = [...PACKAGES];
  for (const name of dependencies(await run('apt-cache', ...places, 'depends', 'redis-tools'))) {
    const status = await run('dpkg-query', '-W', '-f', '${db:Status-Status}', name).catch(() => 'unknown');
    if (!status.startsWith('installed')) wanted.push(name);
  }
  await run('apt-get', ...places, '-q', 'download', ...wanted);
  for (const file of await readdir(downloads)) {
    await run('dpkg', '-x', join(downloads, file), join(work, 'root'));
  }
}

function dependencies(text: string): string[] {
  return [...text.matchAll(/^\s+Depends: ([a-z0-9][a-z0-9+.-]*)/gm)].map((match) => match[1] ?? '').filter(Boolean);
}

async function unpacked(root: string): Promise<RedisProgram | undefined> {
  const program = await findProgram(PACKAGES.slice(0, 1), join(root, 'usr/bin'));
  if (!program) return undefined;
  const libraries: string[] = [];
  for (const folder of [join(root, 'usr/lib'), join(root, 'lib')]) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) if (entry.isDirectory()) libraries.push(join(folder, entry.name));
  }
  return { program, libraries };
}
