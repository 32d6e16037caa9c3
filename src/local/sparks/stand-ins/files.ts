import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Empty when there is none: state is a file that others may remove at any time. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

export function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Readers see the old text or the new, never a part. */
export function writeWhole(path: string, text: string): void {
  const draft = `${path}.${process.pid}.part`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}
