import type { Message } from '../message.ts';
import { BOT } from '../people.ts';
import { formatDate } from '../text/dates.ts';
import { displayName, type Workspace } from '../workspace.ts';
import { blocksHtml, type Scene } from './blocks-html.ts';
import { escapeHtml, plainHtml } from './html.ts';
import { mrkdwnHtml } from './mrkdwn-html.ts';

/** A message as its readers see it; `more` stands below its content. */
export function messageHtml(workspace: Workspace, message: Message, scene: Scene, more = ''): string {
  const ephemeral = message.only_for !== undefined;
  const name = displayName(workspace, message.user);
  const badge = message.user === BOT.userId ? ' <span class="badge">APP</span>' : '';
  const time = formatDate(Number(message.ts), '{time}', scene.reader);
  const instant = new Date(Number(message.ts) * 1000).toISOString();
  const text = message.text === '' ? '' : mrkdwnHtml(message.text, scene.reader);
  const content = message.blocks ? blocksHtml(message.blocks, scene) : text;
  const edited = message.edited ? ' <span class="faint">(edited)</span>' : '';
  return (
    `<article class="message${ephemeral ? ' ephemeral' : ''}" data-ts="${message.ts}" tabindex="-1"` +
    ` aria-label="${escapeHtml(name)} at ${time}">${avatarHtml(workspace, message.user)}<div class="body">` +
    `${ephemeral ? '<p class="only">Only visible to you</p>' : ''}` +
    `<header><b>${escapeHtml(name)}</b>${badge} <time class="faint" datetime="${instant}">${time}</time></header>` +
    `<div class="content">${content}${edited}</div>` +
    `${filesHtml(message)}${reactionsHtml(message)}${more}</div></article>`
  );
}

/** A square with the first letter: each person has a colour, and so has the app. */
export function avatarHtml(workspace: Workspace, user: string): string {
  const index = [...workspace.people.keys()].indexOf(user);
  const letter = escapeHtml(displayName(workspace, user).slice(0, 1).toUpperCase());
  return `<span class="avatar ${index < 0 ? 'app' : `person${index % 3}`}" aria-hidden="true">${letter}</span>`;
}

function filesHtml({ files = [] }: Message): string {
  return files
    .map(({ id, title, size }) => {
      const length = size < 1000 ? `${size} bytes` : `${(size / 1000).toFixed(1)} kB`;
      return (
        `<a class="file" href="/files/${escapeHtml(id)}" target="_blank"><b>${escapeHtml(title)}</b> ` +
        `<span class="faint">Text, ${length}, opens in a new tab</span></a>`
      );
    })
    .join('');
}

function reactionsHtml({ reactions = [] }: Message): string {
  return reactions.map(({ name, count }) => `<span class="badge">${plainHtml(`:${name}:`)} ${count}</span>`).join(' ');
}
