import { WebAPIPlatformError, type WebClient } from '@slack/web-api';
import type { Logger } from 'pino';
import {
  atMost,
  highest,
  includes,
  isRight,
  readWho,
  RIGHTS,
  type Right,
  type RightsConfig,
  type Who,
} from '../config/rights.ts';
import type { Person } from '../jobs/deployment.ts';
import { remembered } from './remembered.ts';
import { slackWord } from './slack-problem.ts';

/** What a person may do in a channel. */
interface Standing {
  right: Right | 'none';
  /** Why it may be less than it should be: a sentence. */
  unsure?: string;
}

export interface Permissions {
  rightOf: (person: Person, channel: string) => Promise<Right | 'none'>;
  /** The same, with what could not be found out. */
  standingOf: (person: Person, channel: string) => Promise<Standing>;
  /** Whether one of the names (rights, people, user groups: as in approvals.from) means this person, in this channel. */
  isAmong: (names: readonly string[], person: Person, channel: string) => Promise<boolean>;
}

export interface PermissionsOptions {
  client: WebClient;
  /** The bot's own workspace. */
  team: string;
  config: () => Promise<RightsConfig>;
  now: () => Date;
  log: Logger;
}

const MINUTE_MS = 60_000;
/** An answer to a command waits no longer for it. */
const WAIT_MS = 1_000;

/** Who may do what, by the configuration and by what Slack says of people. What Slack doesn't say, nobody may. */
export function permissionsOver({ client, team, config, now, log }: PermissionsOptions): Permissions {
  const clock = () => now().getTime();
  const membersOf = remembered({
    freshMs: 5 * MINUTE_MS,
    staleMs: 10 * MINUTE_MS,
    waitMs: WAIT_MS,
    now: clock,
    ask: async (group) => new Set((await client.usergroups.users.list({ usergroup: group })).users ?? []),
  });
  const isFullMember = remembered({
    freshMs: 10 * MINUTE_MS,
    staleMs: 10 * MINUTE_MS,
    waitMs: WAIT_MS,
    now: clock,
    ask: (user) => fullMember(client, user, team),
  });

  async function standingOf(person: Person, channel: string): Promise<Standing> {
    const { rights, channel_caps } = await config();
    const cap = channel_caps[channel];
    const named = highest(rights, (who) => means(who, person, team));
    const enough = atMost(named, cap);
    // Slack is asked only for what could still make a difference.
    if (person.team !== team || includes(named, cap ?? 'admin')) return { right: enough };
    const problems: string[] = [];
    const above = RIGHTS.filter((right) => !includes(named, right)).flatMap((right) => rights[right]);
    const mine = await groupsOf(person, above, problems);
    const grouped = highest(rights, (who) => means(who, person, team) || (who.kind === 'group' && mine.has(who.group)));
    const right = grouped === 'none' && (await isEverybody(person, rights.viewer, problems)) ? 'viewer' : grouped;
    const [unsure] = problems;
    return { right: atMost(right, cap), ...(unsure !== undefined && { unsure }) };
  }

  /** Of the user groups among the names, those that the person is in. */
  async function groupsOf({ user }: Person, names: readonly string[], problems: string[]): Promise<Set<string>> {
    const groups = new Set(names.flatMap((name) => groupIn(name)));
    const mine = new Set<string>();
    await Promise.all(
      [...groups].map(async (group) => {
        try {
          if ((await membersOf(group)).has(user)) mine.add(group);
        } catch (error) {
          problems.push(untold(error, `who is in the user group ${group}`));
        }
      }),
    );
    return mine;
  }

  async function isEverybody({ user }: Person, viewers: readonly string[], problems: string[]): Promise<boolean> {
    if (!viewers.some((name) => readWho(name)?.kind === 'everyone')) return false;
    try {
      return await isFullMember(user);
    } catch (error) {
      problems.push(untold(error, 'whether you are a full member'));
      return false;
    }
  }

  function untold(error: unknown, what: string): string {
    const why = slackWord(error);
    log.warn({ why }, `Slack does not tell ${what}`);
    return `Slack does not tell me ${what} (${why}): try again in a minute.`;
  }

  return {
    standingOf,
    rightOf: async (person, channel) => (await standingOf(person, channel)).right,
    async isAmong(names, person, channel) {
      const { channel_caps } = await config();
      const { right } = await standingOf(person, channel);
      if (names.some((name) => isRight(name) && includes(right, name))) return true;
      const cap = channel_caps[channel];
      // Who is named for it decides like an approver: not where less is allowed.
      if (cap !== undefined && !includes(cap, 'approver')) return false;
      if (names.some((name) => meansName(name, person, team))) return true;
      return person.team === team && (await groupsOf(person, names, [])).size > 0;
    },
  };
}

interface Alone extends Standing {
  isAmong: (names: readonly string[]) => Promise<boolean>;
}

/** What the configuration alone says, where Slack can't be asked: at the bot's host, of its own workspace's people. */
export function standingWithoutSlack({ rights }: RightsConfig, user: string): Alone {
  const right = highest(rights, (who) => who.kind === 'everyone' || isOwn(who, user));
  const groups = RIGHTS.filter((each) => !includes(right, each)).flatMap((each) => rights[each].flatMap(groupIn));
  const unsure = "User groups can't be asked here, without Slack: only who is listed by id counts.";
  return {
    right,
    ...(groups.length > 0 && { unsure }),
    isAmong: async (names) =>
      names.some((name) => {
        const who = readWho(name);
        return isRight(name) ? includes(right, name) : who !== undefined && isOwn(who, user);
      }),
  };
}

/** Guests, bots, people of other workspaces and people who left are none. Rejects when Slack does not say. */
async function fullMember(client: WebClient, user: string, team: string): Promise<boolean> {
  try {
    const { user: profile } = await client.users.info({ user });
    if (!profile || profile.team_id !== team) return false;
    const less = profile.is_restricted || profile.is_ultra_restricted || profile.is_stranger;
    return !less && !profile.deleted && !profile.is_bot;
  } catch (error) {
    const word = error instanceof WebAPIPlatformError ? error.data.error : undefined;
    if (word === 'user_not_found' || word === 'user_not_visible') return false;
    throw error;
  }
}

function means(who: Who, { team, user }: Person, ownTeam: string): boolean {
  return who.kind === 'user' && who.user === user && (who.team ?? ownTeam) === team;
}

function meansName(name: string, person: Person, ownTeam: string): boolean {
  const who = readWho(name);
  return who !== undefined && means(who, person, ownTeam);
}

function isOwn(who: Who, user: string): boolean {
  return who.kind === 'user' && who.team === undefined && who.user === user;
}

function groupIn(name: string): readonly string[] {
  const who = readWho(name);
  return who?.kind === 'group' ? [who.group] : [];
}
