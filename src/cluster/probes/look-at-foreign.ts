import type { Machine } from '../machine.ts';
import { run } from '../remote/command.ts';
import { type ForeignLook, foreignIn, foreignPrograms } from './foreign.ts';
import { parseListeners } from './listeners.ts';
import { parseSections } from './sections.ts';

export interface ForeignSeen extends ForeignLook {
  /** Listening TCP addresses, as in "0.0.0.0:8000". */
  listeners: readonly string[];
}

/** One command: what others run on this node, with the containers of `ids` in any case. */
export async function lookAtForeign(
  machine: Machine,
  { realm, ids }: { realm: string; ids: readonly string[] },
): Promise<ForeignSeen> {
  const { name, paths } = machine.node;
  if (!ids.every((id) => /^[0-9a-f]{12,64}$/.test(id))) throw new TypeError('Not the id of a container');
  const { stdout } = await machine.read(run('sh', '-s', '--', realm, paths.state, ...ids), {
    stdin: foreignPrograms('foreign.sh'),
  });
  const sections = parseSections(stdout);
  return { ...foreignIn(sections, { node: name, ids }), listeners: parseListeners(sections.get('listeners').lines) };
}
