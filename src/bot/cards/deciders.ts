import { includes, isRight, readWho, RIGHTS, type Right, type Rights } from '../../config/rights.ts';
import { person, said } from './mrkdwn.ts';

/** More would ring more phones than it needs. */
const MOST = 8;

/** A name of the configuration in mrkdwn: a person or a user group is mentioned. */
export function mention(name: string): string {
  const who = readWho(name);
  if (who?.kind === 'user') return person(who.user);
  return who?.kind === 'group' ? `<!subteam^${who.group}>` : said(name, 40);
}

/** Those who are listed with a right, or else with the next higher one: as they are written. */
export function listedWith(right: Right, rights: Rights): { right: Right; names: readonly string[] } | undefined {
  const found = RIGHTS.filter((each) => includes(each, right)).find((each) => rights[each].length > 0);
  return found === undefined ? undefined : { right: found, names: rights[found] };
}

/** Who decides, as mentions. `from`: rights, people, user groups. `but`: who asked and may not decide alone. */
export function decidersOf(from: readonly string[], rights: Rights, but?: string): readonly string[] {
  const names = from.flatMap((name) => (isRight(name) ? (listedWith(name, rights)?.names ?? []) : [name]));
  const others = [...new Set(names)].filter((name) => but === undefined || mention(name) !== person(but));
  return others.slice(0, MOST).map(mention);
}
