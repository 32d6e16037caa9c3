import type { Content, Message } from './message.ts';
import type { JsonObject } from './json.ts';
import { APP_ID, BOT, TEAM } from './people.ts';
import { messageAt, type Workspace } from './workspace.ts';

export interface Placement {
  channel: string;
  /** Of any message of the thread: a reply is filed under its root. */
  threadTs?: string | undefined;
  broadcast?: boolean | undefined;
}

export function postAsBot(workspace: Workspace, placement: Placement, content: Content): Message {
  return keep(workspace, { ...newMessage(workspace, placement, content), ...botFields() });
}

export function postAsPerson(workspace: Workspace, placement: Placement, user: string, text: string): Message {
  return keep(workspace, { ...newMessage(workspace, placement, { text }), user });
}

export function showOnlyTo(
  workspace: Workspace,
  placement: Placement,
  user: string,
  content: Content & { from?: string },
): Message {
  const { metadata: _ignoredBySlack, from, ...shown } = content;
  const author = from === undefined ? botFields() : { user: from };
  const message: Message = { ...newMessage(workspace, placement, shown), ...author, only_for: user };
  workspace.ephemerals.push(message);
  workspace.feed.tell({ type: 'ephemeral', message, user });
  return message;
}

/** Text without blocks takes the blocks away and marks the message as edited; blocks alone don't. */
export function edit(workspace: Workspace, message: Message, content: Content): void {
  if (content.text !== undefined) message.text = content.text;
  if (content.blocks !== undefined) {
    if (content.blocks.length > 0) message.blocks = content.blocks;
    else delete message.blocks;
  } else if (content.text !== undefined) {
    delete message.blocks;
    message.edited = { user: BOT.userId, ts: workspace.clock.ts() };
  }
  if (content.metadata === null) delete message.metadata;
  else if (content.metadata !== undefined) message.metadata = content.metadata;
  workspace.chosen.delete(message.ts);
  workspace.feed.tell({ type: 'edited', message });
}

export function remove(workspace: Workspace, message: Message): void {
  workspace.messages = workspace.messages.filter((other) => other !== message);
  workspace.ephemerals = workspace.ephemerals.filter((other) => other !== message);
  workspace.feed.tell({ type: 'deleted', message });
}

/** The message as the Web API answers it. */
export function onTheWire(workspace: Workspace, message: Message, options: { metadata: boolean }): JsonObject {
  const { channel: _channel, only_for: _onlyFor, metadata, ...rest } = message;
  return {
    ...rest,
    ...(options.metadata && metadata ? { metadata } : {}),
    ...(message.bot_id ? { bot_profile: botProfile() } : {}),
    ...threadFields(workspace, message),
  };
}

export function repliesTo(workspace: Workspace, root: Message): Message[] {
  return workspace.messages.filter(
    (other) => other.channel === root.channel && other.thread_ts === root.ts && other.ts !== root.ts,
  );
}

function newMessage(workspace: Workspace, placement: Placement, content: Content): Message {
  const { channel, threadTs, broadcast } = placement;
  const { metadata, text = '', blocks, files } = content;
  const root = threadTs === undefined ? undefined : (messageAt(workspace, channel, threadTs)?.thread_ts ?? threadTs);
  return {
    type: 'message',
    channel,
    ts: workspace.clock.ts(),
    user: BOT.userId,
    text,
    team: TEAM.id,
    ...(root === undefined ? {} : { thread_ts: root }),
    ...(root !== undefined && broadcast ? { subtype: 'thread_broadcast' as const } : {}),
    ...(blocks && blocks.length > 0 ? { blocks } : {}),
    ...(metadata ? { metadata } : {}),
    ...(files ? { files } : {}),
  };
}

function keep(workspace: Workspace, message: Message): Message {
  workspace.messages.push(message);
  workspace.feed.tell({ type: 'posted', message });
  return message;
}

function botFields(): Pick<Message, 'user'> & Partial<Message> {
  return { user: BOT.userId, bot_id: BOT.botId, app_id: APP_ID };
}

function botProfile(): JsonObject {
  return { id: BOT.botId, app_id: APP_ID, name: BOT.name, deleted: false, updated: 0, team_id: TEAM.id };
}

function threadFields(workspace: Workspace, message: Message): JsonObject {
  const replies = repliesTo(workspace, message);
  const latest = replies.at(-1);
  if (!latest) return {};
  const users = [...new Set(replies.map((reply) => reply.user))];
  return {
    thread_ts: message.ts,
    reply_count: replies.length,
    reply_users_count: users.length,
    latest_reply: latest.ts,
    reply_users: users,
    is_locked: false,
    subscribed: false,
  };
}
