import type { Word } from './command.ts';

/** The three words that every changing command must show to a node. */
export interface Grip {
  realm: string;
  fence: number;
  /** The lease's: letters, digits and . _ - */
  token: string;
}

/** Compared word by word on the node, so none may be empty or hold a space. */
export function gripWords({ realm, fence, token }: Grip): readonly Word[] {
  for (const word of [realm, token]) {
    if (!/^[A-Za-z0-9][\w.-]*$/.test(word)) throw new TypeError(`"${word}" can't stand in a fence`);
  }
  if (!Number.isSafeInteger(fence) || fence < 0) throw new TypeError(`${fence} is no fence`);
  return [realm, fence, token];
}
