import { remove, repliesTo } from './conversation.ts';
import type { LocalSlack } from './local-slack.ts';
import type { Message } from './message.ts';
import { stackOf } from './modals.ts';
import type { Reader } from './text/reader.ts';
import { textOf } from './text/text-of.ts';
import { messageAt, type Workspace } from './workspace.ts';

const SHOWN_IN_TRANSCRIPT = 15;

export type Sight = Pick<
  LocalSlack,
  | 'messages'
  | 'thread'
  | 'ephemerals'
  | 'modals'
  | 'fileText'
  | 'textOf'
  | 'nameOf'
  | 'transcript'
  | 'setChannel'
  | 'setUserGroup'
  | 'deleteMessage'
>;

/** What tests and the demo see of the workspace, and change in it. */
export function createSight(workspace: Workspace, reader: Reader): Sight {
  return {
    messages: (channel) => workspace.messages.filter((message) => message.channel === channel && isAtTop(message)),
    thread(channel, ts) {
      const root = messageAt(workspace, channel, ts);
      return root ? [root, ...repliesTo(workspace, root)] : [];
    },
    ephemerals: (user) => workspace.ephemerals.filter((message) => message.only_for === user),
    modals: (user) => stackOf(workspace, user),
    fileText: (id) => workspace.files.get(id)?.content?.toString('utf8') ?? '',
    textOf: (message) => textOf(message, reader),
    nameOf: reader.user,
    transcript: () =>
      [...workspace.messages, ...workspace.ephemerals]
        .toSorted((a, b) => Number(a.ts) - Number(b.ts))
        .slice(-SHOWN_IN_TRANSCRIPT)
        .map((message) => line(message, reader))
        .join('\n'),
    setChannel({ id, ...change }) {
      const known = workspace.channels.get(id) ?? {
        id,
        name: id.toLowerCase(),
        kind: 'public',
        members: new Set<string>(),
        archived: false,
      };
      workspace.channels.set(id, { ...known, ...change });
      workspace.feed.tell({ type: 'channel', channel: id });
    },
    setUserGroup(id, users) {
      const known = workspace.userGroups.get(id) ?? { id, handle: id.toLowerCase(), name: id };
      workspace.userGroups.set(id, { ...known, users });
    },
    deleteMessage(channel, ts) {
      const message = messageAt(workspace, channel, ts);
      if (message) remove(workspace, message);
    },
  };
}

function isAtTop({ thread_ts: root, ts, subtype }: Message): boolean {
  return root === undefined || root === ts || subtype === 'thread_broadcast';
}

function line(message: Message, reader: Reader): string {
  const place = message.thread_ts !== undefined && message.thread_ts !== message.ts ? ', in a thread' : '';
  const seen = message.only_for === undefined ? '' : `, only for ${reader.user(message.only_for)}`;
  return `${reader.user(message.user)} in #${reader.channel(message.channel)}${place}${seen}: ${textOf(message, reader)}`;
}
