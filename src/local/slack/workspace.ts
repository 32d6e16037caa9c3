import type { Clock } from './clock.ts';
import type { Feed } from './feed.ts';
import type { Message, SharedFile } from './message.ts';
import {
  BOT,
  localChannels,
  localPeople,
  localUserGroups,
  type Channel,
  type Person,
  type UserGroup,
} from './people.ts';
import { Refusal } from './refusal.ts';
import type { OpenView, Values } from './view.ts';

export interface StoredFile {
  id: string;
  name: string;
  size: number;
  content?: Buffer;
  contentType?: string;
  shared?: SharedFile;
}

interface Trigger {
  user: string;
  expiresAt: number;
  used: boolean;
}

/** Everything the local Slack remembers. */
export interface Workspace {
  /** Where the server listens: `http://127.0.0.1:PORT`. */
  baseUrl: string;
  clock: Clock;
  feed: Feed;
  /** Everybody's. */
  timeZone: string;
  people: Map<string, Person>;
  userGroups: Map<string, UserGroup>;
  channels: Map<string, Channel>;
  messages: Message[];
  ephemerals: Message[];
  views: Map<string, OpenView>;
  /** What people chose in a message's selects, by its ts. */
  chosen: Map<string, Values>;
  files: Map<string, StoredFile>;
  triggers: Map<string, Trigger>;
  /** Socket Mode tickets that nobody has used yet, and when they end. */
  tickets: Map<string, number>;
}

export function createWorkspace(
  clock: Clock,
  feed: Feed,
  timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone,
): Workspace {
  return {
    baseUrl: '',
    clock,
    feed,
    timeZone,
    people: new Map(localPeople().map((person) => [person.id, person])),
    userGroups: new Map(localUserGroups().map((group) => [group.id, group])),
    channels: new Map(localChannels().map((channel) => [channel.id, channel])),
    messages: [],
    ephemerals: [],
    views: new Map(),
    chosen: new Map(),
    files: new Map(),
    triggers: new Map(),
    tickets: new Map(),
  };
}

export function displayName(workspace: Workspace, id: string): string {
  if (id === BOT.userId || id === BOT.botId) return BOT.name;
  const known = workspace.people.get(id)?.displayName ?? workspace.userGroups.get(id)?.handle;
  return known ?? (id === 'USLACKBOT' ? 'Slackbot' : id);
}

export function channelName(workspace: Workspace, id: string): string {
  return workspace.channels.get(id)?.name ?? id;
}

/** A channel as the app may name it: by id, by #name, or a person for the direct messages with them. */
export function channelFor(workspace: Workspace, name: string): Channel {
  const channel =
    workspace.channels.get(name) ??
    [...workspace.channels.values()].find((other) => other.name === name.replace(/^#/, '')) ??
    (workspace.people.has(name) ? openDirectMessages(workspace, name) : undefined);
  const hidden = channel?.kind === 'private' && !channel.members.has(BOT.userId);
  if (!channel || hidden) throw new Refusal('channel_not_found');
  return channel;
}

export function channelToWriteIn(workspace: Workspace, name: string): Channel {
  const channel = channelFor(workspace, name);
  if (channel.archived) throw new Refusal('is_archived');
  if (!channel.members.has(BOT.userId)) throw new Refusal('not_in_channel');
  return channel;
}

export function openDirectMessages(workspace: Workspace, user: string): Channel {
  const id = `D${user.slice(1)}`;
  const known = workspace.channels.get(id);
  if (known) return known;
  const channel: Channel = {
    id,
    name: displayName(workspace, user),
    kind: 'dm',
    members: new Set([user, BOT.userId]),
    archived: false,
  };
  workspace.channels.set(id, channel);
  workspace.feed.tell({ type: 'channel', channel: id });
  return channel;
}

export function messageAt(workspace: Workspace, channel: string, ts: string): Message | undefined {
  return workspace.messages.find((message) => message.channel === channel && message.ts === ts);
}
