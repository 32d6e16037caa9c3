import { isSame } from '../deployment.ts';
import type { Hold } from '../hold-rules.ts';
import type { Approval, Interrupted } from './approval.ts';

/** What is seen right before the point of no return. */
export interface Seen {
  /** What serves now, on the nodes. */
  serving: readonly Pick<Interrupted, 'uid' | 'number' | 'recipe' | 'running' | 'owner'>[];
  /** What has taken the place of what others started and was to be stopped: "vllm_node on spark1". */
  successors: readonly string[];
  hold?: Hold;
  freeze?: Hold;
}

/**
 * Why an approved request no longer says what would happen; undefined: it does. Three requests that became five are no
 * news, requests where there were none are. `forced` passes holds. Pure.
 */
export function voidedBy({ at, by, facts }: Approval, seen: Seen, forced: boolean): string | undefined {
  for (const serving of seen.serving) {
    const before = facts.interrupts.find(({ uid }) => uid === serving.uid);
    if (!before) return `${serving.recipe} (#${serving.number}) serves by now`;
    if (before.running === 0 && (serving.running ?? 0) > 0)
      return `${serving.recipe} has requests by now, and had none`;
    if (serving.owner && before.owner && !isSame(serving.owner, before.owner))
      return `${serving.recipe} has another owner by now`;
  }
  const [other] = seen.successors;
  if (other !== undefined) return `${other} is another one by now`;
  return forced ? undefined : (newHold(seen.freeze, at) ?? otherHold(seen.hold, at, by));
}

function newHold(freeze: Hold | undefined, since: string): string | undefined {
  return freeze && freeze.at > since ? `everything is frozen by now: ${freeze.reason}` : undefined;
}

function otherHold(hold: Hold | undefined, since: string, by: Approval['by']): string | undefined {
  if (!hold || hold.at <= since || isSame(hold.by, by)) return undefined;
  return `${hold.name} holds the cluster by now: ${hold.reason}`;
}
