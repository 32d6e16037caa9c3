import type { Button } from '@slack/types';
import type { Person } from '../../jobs/deployment.ts';
import { isSame } from '../../jobs/deployment.ts';
import type { Held } from '../../jobs/hold.ts';
import type { Hold } from '../../jobs/hold-rules.ts';
import type { ClusterHeld } from '../../jobs/refusal.ts';
import { SLASH } from '../grammar.ts';
import { plainAnswer } from './answers.ts';
import { button } from './button.ts';
import { actions, fitting, section, type Message } from './message.ts';
import { dayTime, person, said } from './mrkdwn.ts';
import { duration } from './time.ts';

/** A hold or a freeze that was put up or changed, for everybody. */
export function heldMessage({ cluster, hold }: Held): Message {
  const what = cluster === undefined ? 'All clusters FROZEN' : `${cluster} HELD`;
  const meaning =
    cluster === undefined
      ? 'Deploys, stops and rollbacks are refused everywhere. Restarts of the same model go on.'
      : 'Deploys and stops by others are refused. Restarts of the same model go on.';
  return withButtons(
    [`${what} by ${person(hold.by.user)} until ${dayTime(hold.until)}: ${said(hold.reason, 200)}.`, meaning],
    holdButtons(cluster),
  );
}

/** One that was ended before its time. */
export function releasedMessage({ cluster, hold }: Held, by: Person): Message {
  const whose = isSame(hold.by, by) ? 'the' : `${person(hold.by.user)}'s`;
  const what = cluster === undefined ? `${whose} freeze` : `${whose} hold`;
  return plainAnswer([
    `${cluster ?? 'All clusters'} UNLOCKED: ${person(by.user)} ended ${what}, ${said(hold.reason, 200)}.`,
    'Deploys are accepted again.',
  ]);
}

/** Shortly before the end, to who put it up. */
export function endingMessage({ cluster, hold, requests }: Held & { requests?: number }, now: Date): Message {
  const left = duration(Date.parse(hold.until) - now.getTime());
  const what = cluster === undefined ? 'Your freeze of all clusters' : `Your hold on ${cluster}`;
  const asked =
    requests === undefined ? '' : ` ${requests} ${requests === 1 ? 'request' : 'requests'} in the last hour.`;
  const extend = cluster === undefined ? 'freeze extend 1h' : `hold ${cluster} extend 1h`;
  return withButtons(
    [
      `${what} ends in ${left}.${asked} ${person(hold.by.user)}`,
      `${said(hold.reason, 200)}, until ${dayTime(hold.until)}. Longer: \`${SLASH} ${extend}\``,
    ],
    holdButtons(cluster),
  );
}

/** Who is in the way, until when in the reader's zone, and who may end it. */
export function heldAnswer({ what, cluster, hold }: ClusterHeld): Message {
  const holds = cluster === undefined ? 'has frozen all clusters' : `holds ${cluster}`;
  const end = cluster === undefined ? `${SLASH} unfreeze` : `${SLASH} unlock ${cluster}`;
  const who = cluster === undefined ? 'An admin' : `${person(hold.by.user)} or an approver`;
  return plainAnswer([
    `${what}: ${person(hold.by.user)} ${holds} until ${dayTime(hold.until)}, ${said(hold.reason, 200)}.`,
    'Nothing was changed.',
    `${who} can end it: \`${end}\``,
  ]);
}

/** "held by @Maya until Dec 1 18:00 for 2 h: eval run", for status. */
export function holdLine(hold: Hold, now: Date, { withPeople }: { withPeople: boolean }): string {
  const who = withPeople ? person(hold.by.user) : said(hold.name, 40);
  const age = duration(Math.max(0, now.getTime() - Date.parse(hold.at)));
  return `${who} until ${dayTime(hold.until)}, ${said(hold.reason, 200)} (for ${age} now)`;
}

function holdButtons(cluster: string | undefined): readonly Button[] {
  if (cluster === undefined) {
    return [
      button({ action: 'extend-freeze', text: 'Extend 1 h', value: 'freeze extend 1h' }),
      button({ action: 'release-freeze', text: 'Unfreeze', value: 'unfreeze' }),
    ];
  }
  return [
    button({ action: 'extend-hold', text: 'Extend 1 h', value: `hold ${cluster} extend 1h` }),
    button({ action: 'release-hold', text: 'Release', value: `unlock ${cluster}` }),
  ];
}

function withButtons(lines: readonly string[], buttons: readonly Button[]): Message {
  const text = lines.join('\n');
  return fitting(() => ({ text, blocks: [section(text), actions(buttons)] }));
}
