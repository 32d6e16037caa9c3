export interface Person {
  id: string;
  /** As in a slash command's user_name. */
  name: string;
  displayName: string;
  /** Of another workspace, here by a shared channel. */
  team?: { id: string; domain: string };
  /** What a guest may see is restricted. */
  guest?: boolean;
}

export interface UserGroup {
  id: string;
  /** As in @handle. */
  handle: string;
  name: string;
  users: readonly string[];
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
export const ADMIN = 'U0ADMIN0001';
export const GUEST = 'U0GUEST0001';
/** Of another workspace. */
export const STRANGER = 'U0STRANGER1';
export const OTHER_TEAM = { id: 'T0OTHER0001', domain: 'elsewhere' };
export const ON_CALL_GROUP = 'S0ONCALL001';
export const APPROVERS_GROUP = 'S0APPROVER1';
export const OPS_CHANNEL = 'C0OPS000001';
export const OTHER_CHANNEL = 'C0OTHER0001';

export function localPeople(): Person[] {
  return [
    { id: OPERATOR, name: 'operator', displayName: 'Operator' },
    { id: APPROVER, name: 'approver', displayName: 'Approver' },
    { id: VIEWER, name: 'viewer', displayName: 'Viewer' },
    { id: ADMIN, name: 'admin', displayName: 'Admin' },
    { id: GUEST, name: 'guest', displayName: 'Guest', guest: true },
    { id: STRANGER, name: 'stranger', displayName: 'Stranger', team: OTHER_TEAM },
  ];
}

export function localUserGroups(): UserGroup[] {
  return [
    { id: ON_CALL_GROUP, handle: 'oncall', name: 'On call', users: [OPERATOR] },
    { id: APPROVERS_GROUP, handle: 'approvers', name: 'Approvers', users: [APPROVER, ADMIN] },
  ];
}

/** For a configuration that these people meet: everybody but Guest and Stranger looks. */
export const LOCAL_RIGHTS = { viewer: ['everyone'], operator: [OPERATOR], approver: [APPROVER], admin: [ADMIN] };

/** #spark-ops is shared, and has everybody and the bot in it; #random has the workspace's own people, and no bot. */
export function localChannels(): Channel[] {
  const people = localPeople().map((person) => person.id);
  const own = localPeople().filter(({ team, guest }) => team === undefined && guest !== true);
  return [
    {
      id: OPS_CHANNEL,
      name: 'spark-ops',
      kind: 'public',
      members: new Set([...people, BOT.userId]),
      archived: false,
    },
    { id: OTHER_CHANNEL, name: 'random', kind: 'public', members: new Set(own.map(({ id }) => id)), archived: false },
  ];
}
