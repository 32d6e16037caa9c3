import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';

/** The first of `names` that can be run, as a full path, searched in the folders of `path` (a PATH). */
export async function findProgram(names: readonly string[], path: string): Promise<string | undefined> {
  for (const name of names) {
    for (const folder of path.split(':').filter(Boolean)) {
      const file = join(folder, name);
      if (
        await access(file, constants.X_OK).then(
          () => true,
          () => false,
        )
      )
        return file;
    }
  }
  return undefined;
}
