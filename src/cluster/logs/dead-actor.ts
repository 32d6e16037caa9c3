export interface DeadActor {
  /** Of the node that it ran on. */
  ip?: string;
  /** A sentence of Ray's. */
  why?: string;
}

const LINES = 12;

/** Ray tells of a dead actor over several lines: what it was, where, and at the end why. `at` is the line of the exception. */
export function deadActor(texts: readonly string[], at: number): DeadActor {
  if (!/\b(?:ActorDiedError|RayActorError)\b/.test(texts[at] ?? '')) return {};
  const rest = texts.slice(at + 1, at + 1 + LINES).map((text) => text.trim());
  const ip = rest.map((text) => /^ip: ([\d.]+)$/.exec(text)?.[1]).find((found) => found !== undefined);
  const why = rest
    .map((text) => /^The actor (?:is dead|died) because [^.]*\./.exec(text)?.[0])
    .find((found) => found !== undefined);
  return { ...(ip !== undefined && { ip }), ...(why !== undefined && { why }) };
}
