import type { CleanLine } from './clean-lines.ts';

export interface PlacementWait {
  seconds: number;
  /** Of the node that the engine asks for. */
  address?: string;
  line: string;
}

/** vLLM's own complaint (after 10, 30, 70 s, ...) that Ray has no place for its ranks. It would go on for half an hour. */
export function placementWait(lines: readonly CleanLine[]): PlacementWait | undefined {
  for (const { text } of lines.toReversed()) {
    const [, seconds] = /Waiting for creating a placement group of specs for (\d+) seconds/.exec(text) ?? [];
    if (seconds === undefined) continue;
    const [, address] = /'node:([\d.]+)'/.exec(text) ?? [];
    return { seconds: Number(seconds), line: text, ...(address !== undefined && { address }) };
  }
  return undefined;
}
