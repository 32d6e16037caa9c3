import { homedir } from 'node:os';
import { join } from 'node:path';

export type ReadFile = (path: string) => Promise<string>;

/** "~/x" of the configuration as a path of this host. */
export function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}
