import { listeningPort } from './listeners.ts';
import type { Sections } from './sections.ts';

/** A process that computes on a node's GPU. */
export interface GpuProcess {
  pid: number;
  /** MiB, where the driver tells. */
  memory?: number;
  /** The id of its container, which may be gone; ours: one of our realm; nowhere: in none. */
  place: string;
  owner?: string;
  /** It belongs to the user that sparkops logs in as. */
  ours: boolean;
  /** ISO 8601 UTC. */
  since?: string;
  start?: string;
  /** Its name, without arguments. */
  command: string;
}

interface ListeningSocket {
  port: number;
  /** Of our own processes; of others' only root is told. */
  pid?: number;
  container?: string;
}

/** What foreign-facts.sh prints of the GPU's processes and of sockets, put together. */
export function parseProcesses(sections: Sections): { processes: GpuProcess[]; listening: ListeningSocket[] } {
  const ours = containerIds(sections, 'container ');
  const others = new Set(sections.get('foreign').lines.flatMap((line) => /^id=(\w+)$/.exec(line)?.[1] ?? []));
  const ownPids = new Set(sections.get('ours').lines.join(' ').split(/\s+/));
  const placeByPid = places(sections);
  const me = sections.get('user').lines[0];
  const owners = new Map(sections.get('processes').lines.flatMap(ownerOf));
  const starts = new Map(sections.get('starts').lines.map((line): [string, string] => pair(line)));

  const placeOf = (pid: string): string => {
    if (ownPids.has(pid)) return 'ours';
    const ids = placeByPid.get(pid) ?? [];
    if (ids.some((id) => ours.has(id))) return 'ours';
    return ids.find((id) => others.has(id)) ?? ids[0] ?? 'nowhere';
  };

  const processes = sections.get('gpu-apps').lines.flatMap((line): GpuProcess[] => {
    const [, pid, memory = ''] = /^\s*(\d+),\s*(.*)$/.exec(line) ?? [];
    if (pid === undefined) return [];
    const about = owners.get(pid);
    const start = starts.get(pid);
    return [
      {
        pid: Number(pid),
        place: placeOf(pid),
        ours: about !== undefined && about.owner === me,
        command: about?.command ?? 'a process',
        ...(/^\d+$/.test(memory) && { memory: Number(memory) }),
        ...(about && { owner: about.owner, since: about.since }),
        ...(start !== undefined && { start }),
      },
    ];
  });

  const listening = sections.get('listeners').lines.flatMap((line): ListeningSocket[] => {
    const port = listeningPort(line);
    if (port === undefined) return [];
    // Of several that share it, the last: foreign-facts.sh looks at that one.
    const pid = /.*[(,]pid=(\d+),/.exec(line)?.[1];
    const place = pid === undefined ? 'nowhere' : placeOf(pid);
    return [{ port, ...(pid !== undefined && { pid: Number(pid) }), ...(others.has(place) && { container: place }) }];
  });
  return { processes, listening };
}

function containerIds(sections: Sections, prefix: string): Set<string> {
  return new Set(
    sections.all
      .filter(({ name }) => name.startsWith(prefix))
      .flatMap(({ lines }) => lines.flatMap((line) => /^id=(\w+)$/.exec(line)?.[1] ?? [])),
  );
}

/** Pid -> ids of the containers that its cgroup or Docker names. */
function places(sections: Sections): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const add = (pid: string, id: string) => void found.set(pid, [...(found.get(pid) ?? []), id]);
  for (const line of sections.get('cgroups').lines) {
    const [, pid, id] = /^\/proc\/(\d+)\/cgroup:([0-9a-f]{64})$/.exec(line) ?? [];
    if (pid !== undefined && id !== undefined) add(pid, id);
  }
  for (const { name, lines } of sections.all) {
    const id = /^top (\w+)$/.exec(name)?.[1];
    if (id !== undefined) for (const line of lines) if (/^\s*\d+\s*$/.test(line)) add(line.trim(), id);
  }
  return found;
}

/** "  4242 aurora   Tue Dec  1 02:10:00 2026 python3", in UTC. */
function ownerOf(line: string): [string, { owner: string; since: string; command: string }][] {
  const match = /^\s*(\d+)\s+(\S+)\s+\w{3}\s+(\w{3}\s+\d+\s+[\d:]+\s+\d{4})\s+(.*)$/.exec(line);
  const [, pid, owner, at, command] = match ?? [];
  if (pid === undefined || owner === undefined || at === undefined || command === undefined) return [];
  const since = new Date(`${at} UTC`).toISOString();
  return [[pid, { owner, since, command: command.trim().replace(/^.*\//, '') }]];
}

function pair(line: string): [string, string] {
  const [key = '', value = ''] = line.split(' ');
  return [key, value];
}
