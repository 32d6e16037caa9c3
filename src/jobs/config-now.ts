import type { Config } from '../config/config.ts';
import { readConfig } from '../config/load-config.ts';

/** One command asks several times, and 50 people may ask at once: a read is shared for this long. */
const SHARED_MS = 200;

/** The configuration as it stands on disk. */
export function configNow(folder: string): () => Promise<Config> {
  let latest: { at: number; config: Promise<Config> } | undefined;
  return () => {
    const at = performance.now();
    if (!latest || at - latest.at > SHARED_MS) latest = { at, config: readConfig(folder) };
    return latest.config;
  };
}
