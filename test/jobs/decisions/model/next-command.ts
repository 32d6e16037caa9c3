import type { Node, Uid } from './state.ts';

export interface NextCommand {
  node: 0 | 1;
  what: 'remove' | 'start' | 'serve';
  target: string;
}

/** What a look finds to be done in a phase; undefined: it is done. */
export function nextCommand(
  [head, worker]: readonly [Node, Node],
  uid: Uid,
  phase: number,
): NextCommand | 'failed' | undefined {
  switch (phase) {
    case 0:
      return leftover(head, 0, uid) ?? leftover(worker, 1, uid);
    case 1:
      return head.containers.some((name) => name.startsWith(uid)) ? undefined : { node: 0, what: 'start', target: uid };
    case 2:
      return worker.containers.includes(uid) ? undefined : { node: 1, what: 'start', target: uid };
    default:
      if (!head.containers.some((name) => name.startsWith(uid))) return 'failed';
      return head.containers.includes(`${uid}+`) ? undefined : { node: 0, what: 'serve', target: uid };
  }
}

function leftover({ containers }: Node, node: 0 | 1, uid: Uid): NextCommand | undefined {
  const other = containers.find((name) => !name.startsWith(uid));
  return other === undefined ? undefined : { node, what: 'remove', target: other.slice(0, 2) };
}
