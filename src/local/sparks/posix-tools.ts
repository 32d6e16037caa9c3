import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram } from '../find-program.ts';

/** What a node has from its system, and a container too. */
const TOOLS =
  'sh [ awk basename cat chmod cmp comm cp cut date dd df dirname echo env expr false find grep head hostname id kill ln ls mkdir mktemp mv nl od printf ps pwd readlink rm rmdir sed sha256sum sleep sort stat tail tee test touch tr true uname uniq wc xargs'.split(
    ' ',
  );

/** Of util-linux and coreutils: on a system without them a stand-in takes their place. */
const LINUX_TOOLS = ['flock', 'setsid', 'timeout'];

const SYSTEM_PATH = '/usr/bin:/bin:/usr/sbin:/sbin';

/** Links the system's tools into `folder`; resolves with the ones of LINUX_TOOLS that it lacks. */
export async function linkTools(folder: string, path = SYSTEM_PATH): Promise<string[]> {
  const missing: string[] = [];
  for (const name of [...TOOLS, ...LINUX_TOOLS]) {
    const program = await findProgram([name], path);
    if (program) await symlink(program, join(folder, name));
    else if (LINUX_TOOLS.includes(name)) missing.push(name);
  }
  return missing;
}
