import { z } from 'zod';
import { edit, onTheWire, postAsBot, remove, showOnlyTo } from '../conversation.ts';
import type { JsonObject } from '../json.ts';
import type { Message } from '../message.ts';
import { BOT, TEAM } from '../people.ts';
import { Refusal } from '../refusal.ts';
import { readContent, requireSomethingToShow, type Reading } from '../validate/read-content.ts';
import { channelFor, channelToWriteIn, messageAt, type Workspace } from '../workspace.ts';
import { defineMethod, flag } from './method.ts';

const UPDATE_TEXT_LIMIT = 4_000;

const Placed = z.object({ channel: z.string(), thread_ts: z.string().optional(), reply_broadcast: flag });
const One = z.object({ channel: z.string(), ts: z.string() });

export const postMessage = defineMethod(Placed, (args, workspace, raw) => {
  const channel = channelToWriteIn(workspace, args.channel);
  const { content, warnings } = readContent(raw);
  requireSomethingToShow(raw, content);
  const placement = { channel: channel.id, threadTs: args.thread_ts, broadcast: args.reply_broadcast };
  const message = postAsBot(workspace, placement, content);
  return {
    channel: channel.id,
    ts: message.ts,
    message: onTheWire(workspace, message, { metadata: true }),
    ...warned(warnings),
  };
});

export const postEphemeral = defineMethod(Placed.extend({ user: z.string() }), (args, workspace, raw) => {
  const channel = channelToWriteIn(workspace, args.channel);
  if (!channel.members.has(args.user)) throw new Refusal('user_not_in_channel');
  const { content, warnings } = readContent(raw);
  requireSomethingToShow(raw, content);
  const message = showOnlyTo(workspace, { channel: channel.id, threadTs: args.thread_ts }, args.user, content);
  return { message_ts: message.ts, ...warned(warnings) };
});

export const update = defineMethod(One.extend({ reply_broadcast: flag }), (args, workspace, raw) => {
  const channel = channelFor(workspace, args.channel);
  if (channel.archived) throw new Refusal('is_archived');
  const message = ownMessage(workspace, channel.id, args.ts, 'cant_update_message');
  if (typeof raw['text'] === 'string' && raw['text'].length > UPDATE_TEXT_LIMIT) throw new Refusal('msg_too_long');
  const { content, warnings } = readContent(raw);
  const nothing = content.text === undefined && content.blocks === undefined && content.metadata === undefined;
  if (nothing && raw['attachments'] === undefined) throw new Refusal('no_text');
  if (args.reply_broadcast && message.thread_ts !== undefined) message.subtype = 'thread_broadcast';
  edit(workspace, message, content);
  return {
    channel: channel.id,
    ts: message.ts,
    text: message.text,
    message: onTheWire(workspace, message, { metadata: true }),
    ...warned(warnings),
  };
});

export const deleteMessage = defineMethod(One, (args, workspace) => {
  const channel = channelFor(workspace, args.channel);
  remove(workspace, ownMessage(workspace, channel.id, args.ts, 'cant_delete_message'));
  return { channel: channel.id, ts: args.ts };
});

export const getPermalink = defineMethod(
  z.object({ channel: z.string(), message_ts: z.string() }),
  (args, workspace) => {
    const channel = channelFor(workspace, args.channel);
    const message = messageAt(workspace, channel.id, args.message_ts);
    if (!message) throw new Refusal('message_not_found');
    const thread = message.thread_ts === undefined ? '' : `?thread_ts=${message.thread_ts}&cid=${channel.id}`;
    const link = `https://${TEAM.domain}.slack.com/archives/${channel.id}/p${message.ts.replace('.', '')}${thread}`;
    return { channel: channel.id, permalink: link };
  },
);

function ownMessage(workspace: Workspace, channel: string, ts: string, otherwise: string): Message {
  const message = messageAt(workspace, channel, ts);
  if (!message) throw new Refusal('message_not_found');
  if (message.bot_id !== BOT.botId) throw new Refusal(otherwise);
  return message;
}

function warned(warnings: Reading['warnings']): JsonObject {
  if (warnings.length === 0) return {};
  const codes = warnings.map((warning) => warning.code);
  const messages = warnings.map((warning) => warning.message);
  return { warning: codes.join(','), response_metadata: { warnings: codes, messages } };
}
