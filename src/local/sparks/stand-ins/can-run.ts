import { accessSync, constants } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** Whether `program` is found in the folders of `path` (a PATH), or is itself a path of a program. */
export function canRun(program: string, path: string): boolean {
  const files = isAbsolute(program) ? [program] : path.split(':').map((folder) => join(folder, program));
  return program !== '' && files.some((file) => accessible(file, constants.X_OK));
}

export function accessible(path: string, mode = constants.R_OK): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
