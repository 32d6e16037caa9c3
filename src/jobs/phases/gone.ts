import type { Finding } from '../../cluster/finding.ts';
import type { Surroundings } from './look-around.ts';

/** What has outlived its container still holds memory, and perhaps the GPU: it is not gone. Undefined: nothing has. */
export function stillThere({ survivors }: Surroundings, uids: ReadonlySet<string>): Finding | undefined {
  const all = survivors.filter(({ uid }) => uids.has(uid));
  const [first] = all;
  if (!first) return undefined;
  return {
    short: `a process of it hangs on ${first.node}`,
    text: `Its containers are gone, but ${all.length === 1 ? 'a process' : `${all.length} processes`} of it on ${first.node} can't be ended and may hold the GPU's memory.`,
    node: first.node,
    lines: all.map(({ node, pid, name }) => `${node}: ${pid} ${name}`).slice(0, 15),
    remedy: `On ${first.node}: sudo kill -9 ${first.pid}. If it stays, only a reboot of ${first.node} gives the memory back.`,
  };
}
