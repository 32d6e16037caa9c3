export interface Person {
  id: string;
  /** As in a slash command's user_name. */
  name: string;
  displayName: string;
}

export interface Channel {
  id: string;
  name: string;
  kind: 'public' | 'private' | 'dm';
  members: Set<string>;
  archived: boolean;
}

export const TEAM = { id: 'T0LOCAL0001', domain: 'local', name: 'Local' };
export const APP_ID = 'A0SPARKAPP1';
export const BOT = { userId: 'U0SPARKBOT1', botId: 'B0SPARKBOT1', name: 'sparkops' };
export const SLACKBOT = 'USLACKBOT';

export const OPERATOR = 'U0OPERATOR1';
export const APPROVER = 'U0APPROVER1';
export const VIEWER = 'U0VIEWER001';
export const OPS_CHANNEL = 'C0OPS000001';
export const OTHER_CHANNEL = 'C0OTHER0001';

export function localPeople(): Person[] {
  return [
    { id: OPERATOR, name: 'operator', displayName: 'Operator' },
    { id: APPROVER, name: 'approver', displayName: 'Approver' },
    { id: VIEWER, name: 'viewer', displayName: 'Viewer' },
  ];
}

/** #spark-ops has everybody and the bot in it; the bot is not in #random. */
export function localChannels(): Channel[] {
  const people = localPeople().map((person) => person.id);
  return [
    {
      id: OPS_CHANNEL,
      name: 'spark-ops',
      kind: 'public',
      members: new Set([...people, BOT.userId]),
      archived: false,
    },
    { id: OTHER_CHANNEL, name: 'random', kind: 'public', members: new Set(people), archived: false },
  ];
}
