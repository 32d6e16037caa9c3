import { displayName, type Workspace } from '../workspace.ts';
import { escapeHtml } from './html.ts';
import { addressOf, type LookingAt } from './looking-at.ts';
import type { Picture } from './picture.ts';
import { placeName } from './places-html.ts';

const THEMES = ['system', 'light', 'dark'] as const;
const TRIES = ['/spark deploy qwen35', '/spark status', '/spark help'];

/** The whole document, with everything in it that its script later keeps up to date. */
export function frame(workspace: Workspace, at: LookingAt, picture: Picture, cookies: string): string {
  const theme = THEMES.find((name) => cookies.includes(`theme=${name}`)) ?? 'system';
  const me = escapeHtml(displayName(workspace, at.user));
  const place = escapeHtml(placeName(workspace, at.channel));
  const themes = THEMES.map((name) => {
    return `<option value="${name}"${name === theme ? ' selected' : ''}>${name.slice(0, 1).toUpperCase()}${name.slice(1)}</option>`;
  });
  const tries = TRIES.map((line) => `<button type="button" class="button" data-try="${line}">${line}</button>`);
  return `<!doctype html><html lang="en" data-theme="${theme}"><head><meta charset="utf-8">
<title>${place} as ${me} | Local Slack</title><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<link rel="stylesheet" href="/page/page.css"><link rel="stylesheet" href="/page/message.css"><link rel="stylesheet" href="/page/controls.css">
<script type="module" src="/page/page.js"></script></head>
<body><a class="skip" href="#text">Skip to the message box</a>
<aside id="side" aria-label="Channels and people"><p class="workspace">Local Slack</p>
<div id="places">${picture.places}</div>
<label class="theme">Theme <select id="theme">${themes.join('')}</select></label></aside>
<main><header><button type="button" id="menu" class="button" aria-controls="side" aria-expanded="false">Menu</button>
<h1>${place}</h1><p id="head" class="faint">${picture.head}</p></header>
<section id="list" class="messages" aria-label="Messages in ${place}" tabindex="0">${picture.list}</section>
<div class="empty"><p>Nothing was said here yet. Try one of these:</p><p>${tries.join('')}</p></div>
<button type="button" id="newer" class="button" hidden>Newer messages</button><div id="problem" role="alert"></div>
${composer('say', 'text', `Message ${place}`)}</main>
<aside id="thread" aria-label="Thread"${picture.thread === '' ? ' hidden' : ''}><header><h2>Thread</h2>
<a class="button" id="close-thread" href="${addressOf({ ...at, thread: undefined })}">Close</a></header>
<section id="replies" class="messages" aria-label="Messages of the thread" tabindex="0">${picture.thread}</section>
${composer('reply', 'reply-text', 'Reply in the thread')}</aside>
<dialog id="modal" aria-labelledby="modal-title"></dialog><dialog id="confirm" aria-labelledby="confirm-title"></dialog>
<div id="announcer" class="unseen" role="status"></div></body></html>`;
}

function composer(id: string, box: string, label: string): string {
  return (
    `<form id="${id}" class="composer"><label class="unseen" for="${box}">${label}</label>` +
    `<textarea id="${box}" name="text" rows="1" placeholder="${label}" autocomplete="off"${id === 'say' ? ' autofocus' : ''}></textarea>` +
    `<button class="button primary">Send</button></form>`
  );
}
