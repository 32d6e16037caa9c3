import { z } from 'zod';

/** From less to more: each includes those before it. */
export const RIGHTS = ['viewer', 'operator', 'approver', 'admin'] as const;
export type Right = (typeof RIGHTS)[number];

/** Full members of the bot's own workspace. */
export const EVERYONE = 'everyone';

/** Whom a name of the configuration means. */
export type Who =
  | { kind: 'everyone' }
  /** Without a team: of the bot's own workspace. */
  | { kind: 'user'; user: string; team?: string }
  | { kind: 'group'; group: string };

/** Undefined for what is no such name: `everyone`, U0123ABCD, T0123ABCD/U0456EFGH, S0123ABCD. */
export function readWho(name: string): Who | undefined {
  if (name === EVERYONE) return { kind: 'everyone' };
  if (/^S[A-Z0-9]+$/.test(name)) return { kind: 'group', group: name };
  const [, team, user] = /^(?:([TE][A-Z0-9]+)\/)?([UW][A-Z0-9]+)$/.exec(name) ?? [];
  return user === undefined ? undefined : { kind: 'user', user, ...(team !== undefined && { team }) };
}

const Listed = z.array(
  z
    .string()
    .refine(
      (name) => readWho(name) !== undefined,
      'must be a user id such as U0123ABCD, T0123ABCD/U0456EFGH for another workspace, or a user group such as S0123ABCD',
    ),
);

/** Who has which right, as it is written. */
export const Rights = z.strictObject({
  viewer: Listed.default([EVERYONE]),
  operator: Listed.default([]),
  approver: Listed.default([]),
  admin: Listed.default([]),
});
export type Rights = z.infer<typeof Rights>;

/** By channel id: the most that what is typed or pressed there may do. */
export const ChannelCaps = z.record(z.string(), z.enum(RIGHTS));

/** What decides about people. */
export interface RightsConfig {
  rights: Rights;
  channel_caps: Readonly<Partial<Record<string, Right>>>;
}

export function isRight(name: string): name is Right {
  return RIGHTS.some((right) => right === name);
}

export function includes(has: Right | 'none', needed: Right): boolean {
  return has !== 'none' && RIGHTS.indexOf(has) >= RIGHTS.indexOf(needed);
}

/** The lower of the two. */
export function atMost(has: Right | 'none', cap: Right | undefined): Right | 'none' {
  return cap !== undefined && includes(has, cap) ? cap : has;
}

/** The highest right that lists a name which `matches`. */
export function highest(rights: Rights, matches: (who: Who) => boolean): Right | 'none' {
  const found = RIGHTS.toReversed().find((right) =>
    rights[right].some((name) => {
      const who = readWho(name);
      return who !== undefined && matches(who);
    }),
  );
  return found ?? 'none';
}

/** "an operator" */
export function aRight(right: Right): string {
  return `${/^[aeiou]/.test(right) ? 'an' : 'a'} ${right}`;
}
