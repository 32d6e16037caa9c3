import { repliesTo } from '../conversation.ts';
import type { Message } from '../message.ts';
import { formatDate } from '../text/dates.ts';
import type { Reader } from '../text/reader.ts';
import { messageAt, type Workspace } from '../workspace.ts';
import type { Scene } from './blocks-html.ts';
import { addressOf, type LookingAt } from './looking-at.ts';
import { messageHtml } from './message-html.ts';

/** What one person sees of a channel: what stands at its top, and the ephemeral messages that are theirs. */
export function conversationHtml(workspace: Workspace, reader: Reader, at: LookingAt): string {
  const scene = sceneFor(workspace, reader);
  const items = seenIn(workspace, at)
    .filter((message) => isAtTop(workspace, message))
    .map((message) =>
      item(message, messageHtml(workspace, message, scene, threadLink(workspace, reader, message, at))),
    );
  return items.length === 0 ? '' : `<ol>${items.join('')}</ol>`;
}

/** The open thread: its root and replies; nothing when none is open. */
export function threadHtml(workspace: Workspace, reader: Reader, at: LookingAt): string {
  const root = at.thread === undefined ? undefined : messageAt(workspace, at.channel, at.thread);
  if (!root) return '';
  const scene = sceneFor(workspace, reader);
  const items = inThread(workspace, root, at).map((message) => item(message, messageHtml(workspace, message, scene)));
  return `<ol>${items.join('')}</ol>`;
}

/** Everything in the channel that the person may see, oldest first. */
export function seenIn(workspace: Workspace, { user, channel }: LookingAt): Message[] {
  if (!workspace.channels.get(channel)?.members.has(user)) return [];
  return [...workspace.messages, ...workspace.ephemerals]
    .filter((message) => message.channel === channel && (message.only_for ?? user) === user)
    .toSorted((a, b) => Number(a.ts) - Number(b.ts));
}

function inThread(workspace: Workspace, root: Message, at: LookingAt): Message[] {
  return [root, ...seenIn(workspace, at).filter((other) => other.thread_ts === root.ts && other !== root)];
}

function isAtTop(workspace: Workspace, { thread_ts: root, ts, subtype, channel }: Message): boolean {
  if (root === undefined || root === ts || subtype === 'thread_broadcast') return true;
  return messageAt(workspace, channel, root) === undefined;
}

function threadLink(workspace: Workspace, reader: Reader, message: Message, at: LookingAt): string {
  if (message.only_for !== undefined) return '';
  const root = message.thread_ts ?? message.ts;
  const link = (words: string, quiet = ''): string =>
    `<a class="replies${quiet}" data-thread="${root}" href="${addressOf({ ...at, thread: root })}">${words}</a>`;
  if (root !== message.ts) return link('Sent from a thread: open it');
  const replies = repliesTo(workspace, message);
  const last = replies.at(-1);
  if (!last) return link('Reply in a thread', ' quiet');
  const when = `<span class="faint">last at ${formatDate(Number(last.ts), '{time}', reader)}</span>`;
  return link(`${replies.length} ${replies.length === 1 ? 'reply' : 'replies'} ${when}`);
}

function item({ ts }: Message, html: string): string {
  return `<li data-key="${ts}">${html}</li>`;
}

function sceneFor(workspace: Workspace, reader: Reader): Scene {
  return { reader, people: [...workspace.people.values()], errors: {} };
}
