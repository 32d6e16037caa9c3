import { z } from 'zod';
import { onTheWire, repliesTo } from '../conversation.ts';
import type { JsonObject } from '../json.ts';
import type { Message } from '../message.ts';
import { BOT, type Channel } from '../people.ts';
import { Refusal } from '../refusal.ts';
import { channelFor, messageAt, openDirectMessages, type Workspace } from '../workspace.ts';
import { count, defineMethod, flag } from './method.ts';

const Range = z.object({
  channel: z.string(),
  oldest: z.string().optional(),
  latest: z.string().optional(),
  inclusive: flag,
  limit: count.min(1).max(999).default(100),
  cursor: z.string().optional(),
  include_all_metadata: flag,
});

export const replies = defineMethod(Range.extend({ ts: z.string() }), (args, workspace) => {
  const channel = channelToRead(workspace, args.channel);
  const message = messageAt(workspace, channel.id, args.ts);
  const root = message?.thread_ts === undefined ? message : messageAt(workspace, channel.id, message.thread_ts);
  if (!root) throw new Refusal('thread_not_found');
  const within = repliesTo(workspace, root).filter((reply) => inRange(reply, args));
  return page(workspace, [root, ...within], args);
});

export const history = defineMethod(Range, (args, workspace) => {
  const channel = channelToRead(workspace, args.channel);
  const shown = workspace.messages.filter(
    (message) => message.channel === channel.id && isTopLevel(message) && inRange(message, args),
  );
  return page(workspace, shown.toReversed(), args);
});

export const info = defineMethod(z.object({ channel: z.string() }), (args, workspace) => {
  const channel = channelFor(workspace, args.channel);
  return { channel: described(channel) };
});

export const open = defineMethod(z.object({ users: z.string() }), (args, workspace) => {
  const user = args.users.split(',')[0] ?? '';
  if (!workspace.people.has(user)) throw new Refusal('user_not_found');
  return { channel: { id: openDirectMessages(workspace, user).id } };
});

function channelToRead(workspace: Workspace, name: string): Channel {
  const channel = channelFor(workspace, name);
  if (!channel.members.has(BOT.userId)) throw new Refusal('not_in_channel');
  return channel;
}

function isTopLevel(message: Message): boolean {
  return message.thread_ts === undefined || message.thread_ts === message.ts || message.subtype === 'thread_broadcast';
}

function inRange(message: Message, args: z.output<typeof Range>): boolean {
  const at = Number(message.ts);
  const oldest = Number(args.oldest ?? 0);
  const latest = Number(args.latest ?? Infinity);
  return args.inclusive ? at >= oldest && at <= latest : at > oldest && at < latest;
}

function page(workspace: Workspace, messages: Message[], args: z.output<typeof Range>): JsonObject {
  const start = args.cursor === undefined ? 0 : Number(Buffer.from(args.cursor, 'base64url').toString());
  if (!Number.isInteger(start)) throw new Refusal('invalid_cursor');
  const end = start + args.limit;
  const more = end < messages.length;
  const next = more ? Buffer.from(String(end)).toString('base64url') : '';
  return {
    messages: messages
      .slice(start, end)
      .map((message) => onTheWire(workspace, message, { metadata: args.include_all_metadata === true })),
    has_more: more,
    response_metadata: { next_cursor: next },
  };
}

function described(channel: Channel): JsonObject {
  return {
    id: channel.id,
    name: channel.name,
    is_channel: channel.kind === 'public',
    is_group: channel.kind === 'private',
    is_im: channel.kind === 'dm',
    is_private: channel.kind !== 'public',
    is_archived: channel.archived,
    is_member: channel.members.has(BOT.userId),
  };
}
