import type { Message } from '../message.ts';
import { stackOf } from '../modals.ts';
import { BOT } from '../people.ts';
import { formatDate } from '../text/dates.ts';
import type { Reader } from '../text/reader.ts';
import { displayName, type Workspace } from '../workspace.ts';
import { blocksHtml, type Scene } from './blocks-html.ts';
import { escapeHtml, plainHtml } from './html.ts';
import { mrkdwnHtml } from './mrkdwn-html.ts';

/** What one person sees of a channel: its messages with their threads, and the ephemeral ones that are theirs. */
export function conversationHtml(workspace: Workspace, reader: Reader, user: string, channel: string): string {
  if (!workspace.channels.get(channel)?.members.has(user)) return '';
  const seen = [...workspace.messages, ...workspace.ephemerals]
    .filter((message) => message.channel === channel && (message.only_for ?? user) === user)
    .toSorted((a, b) => Number(a.ts) - Number(b.ts));
  const scene: Scene = { reader, people: [...workspace.people.values()], errors: {} };
  const rendered = (message: Message): string => messageHtml(workspace, message, scene);
  const roots = new Set(seen.map((message) => message.ts));
  return seen
    .filter((message) => !message.thread_ts || message.thread_ts === message.ts || !roots.has(message.thread_ts))
    .map((message) => {
      const replies = seen.filter((other) => other.thread_ts === message.ts && other !== message);
      const thread = replies.length > 0 ? `<div class="thread">${replies.map(rendered).join('')}</div>` : '';
      return `<article>${rendered(message)}${thread}${replyHtml(message)}</article>`;
    })
    .join('');
}

/** The modal in front of a person, or nothing. */
export function modalHtml(workspace: Workspace, reader: Reader, user: string): string {
  const open = stackOf(workspace, user).at(-1);
  if (!open) return '';
  const { view, errors } = open;
  const blocks = blocksHtml(view.blocks, { reader, people: [...workspace.people.values()], errors });
  const submit = view.submit ? `<button class="button primary">${plainHtml(view.submit.text)}</button>` : '';
  const close = plainHtml(view.close?.text ?? 'Cancel');
  return (
    `<form id="modal" role="dialog" aria-label="${escapeHtml(view.title.text)}" data-view="${escapeHtml(view.id)}">` +
    `<h3>${plainHtml(view.title.text)}</h3>${blocks}` +
    `<footer><button type="button" class="button" data-close>${close}</button>${submit}</footer></form>`
  );
}

function messageHtml(workspace: Workspace, message: Message, scene: Scene): string {
  const name = escapeHtml(displayName(workspace, message.user));
  const badge = message.user === BOT.userId ? ' <span class="badge">APP</span>' : '';
  const time = formatDate(Number(message.ts), '{time}', scene.reader);
  const only = message.only_for === undefined ? '' : '<div class="faint">Only visible to you</div>';
  const content = message.blocks ? blocksHtml(message.blocks, scene) : mrkdwnHtml(message.text, scene.reader);
  const edited = message.edited ? ' <span class="faint">(edited)</span>' : '';
  const broadcast = message.subtype === 'thread_broadcast' ? '<div class="faint">also sent to the channel</div>' : '';
  return (
    `<section class="message${message.only_for === undefined ? '' : ' ephemeral'}" data-ts="${message.ts}">` +
    `${only}<b>${name}</b>${badge} <time class="faint">${time}</time>${broadcast}` +
    `<div>${content}${edited}</div>${filesHtml(message)}${reactionsHtml(message)}</section>`
  );
}

function filesHtml({ files = [] }: Message): string {
  return files
    .map(({ id, title, size }) => {
      return `<a class="file" href="/files/${escapeHtml(id)}" target="_blank">${escapeHtml(title)} <span class="faint">${size} bytes</span></a>`;
    })
    .join('');
}

function reactionsHtml({ reactions = [] }: Message): string {
  return reactions.map(({ name, count }) => `<span class="badge">${plainHtml(`:${name}:`)} ${count}</span>`).join(' ');
}

function replyHtml(message: Message): string {
  if (message.only_for !== undefined) return '';
  return `<form class="reply" data-thread="${message.ts}"><input name="text" placeholder="Reply in the thread" autocomplete="off"></form>`;
}
