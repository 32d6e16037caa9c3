import { ask, showModal } from './dialogs.js';
import { morph } from './morph.js';
import { send } from './send.js';

const [side, head, list, replies, thread, menu, newer, announcer] = [
  'places',
  'head',
  'list',
  'replies',
  'thread',
  'menu',
  'newer',
  'announcer',
].map((id) => document.getElementById(id));
const NEAR_END = 60;
const busy = new WeakSet();
let stream;

connect();
toEnd(list);
toEnd(replies);

function connect() {
  stream?.close();
  stream = new EventSource(`/page/stream${location.search}`);
  stream.onmessage = (event) => show(JSON.parse(event.data));
  stream.onerror = () => (head.textContent = 'The local Slack does not answer. Trying again.');
}

function show({ places, head: about, list: messages, thread: inThread, modal, news }) {
  const focused = document.activeElement?.closest('[data-ts]');
  const wasInThread = thread.contains(focused);
  morph(side, places);
  morph(head, about);
  refresh(list, messages);
  thread.hidden = inThread === '';
  refresh(replies, inThread);
  newer.hidden = isAtEnd(list);
  showModal(modal);
  // What had the focus is gone, such as a pressed button: go on from its message.
  if (focused && document.activeElement === document.body) {
    (wasInThread ? replies : list).querySelector(`[data-ts="${focused.dataset.ts}"]`)?.focus();
  }
  for (const text of news) announcer.append(Object.assign(document.createElement('p'), { textContent: text }));
  while (announcer.children.length > 5) announcer.firstChild.remove();
}

function refresh(place, html) {
  const follow = isAtEnd(place);
  morph(place, html);
  if (follow) toEnd(place);
}

function isAtEnd(place) {
  return place.scrollHeight - place.scrollTop - place.clientHeight < NEAR_END;
}

function toEnd(place) {
  place.scrollTop = place.scrollHeight;
}

for (const form of document.querySelectorAll('.composer')) {
  const box = form.elements.text;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const text = box.value;
    if (text.trim() === '') return;
    box.value = '';
    toEnd(form.id === 'reply' ? replies : list);
    const threadTs = new URLSearchParams(location.search).get('thread');
    const sent = await send('say', form.id === 'reply' ? { text, threadTs } : { text });
    if (!sent && box.value === '') box.value = text;
  });
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
}

document.addEventListener('click', async (event) => {
  const link = event.target.closest('a.replies, #close-thread');
  if (link && !event.metaKey && !event.ctrlKey) {
    event.preventDefault();
    openThread(link.dataset.thread, link.href);
    return;
  }
  const line = event.target.closest('[data-try]')?.dataset.try;
  if (line) write(line);
  const button = event.target.closest('.messages button[data-action]');
  if (!button) return;
  const pressed = target(button, button.dataset.value);
  if (button.dataset.confirm && !(await ask(JSON.parse(button.dataset.confirm)))) return;
  await press(button, pressed);
});

document.addEventListener('change', async (event) => {
  const field = event.target.closest('.messages [data-input]');
  if (!field || field.value === '') return;
  await press(field, target(field, field.value));
  if ('menu' in field.dataset) field.value = '';
});

// The message may be another one by the time that a question is answered.
function target(element, value) {
  const { ts } = element.closest('[data-ts]').dataset;
  const { block } = element.closest('[data-block]').dataset;
  return { ts, blockId: block, actionId: element.dataset.action, value };
}

// Not `disabled`: that would take the focus away.
async function press(element, pressed) {
  if (busy.has(element)) return;
  busy.add(element);
  element.setAttribute('aria-busy', 'true');
  await send('click', pressed);
  busy.delete(element);
  element.removeAttribute('aria-busy');
}

function write(line) {
  const box = document.getElementById('text');
  box.value = line;
  box.focus();
}

/** Beside the channel, without leaving what is being typed there. */
function openThread(ts, href) {
  const left = new URLSearchParams(location.search).get('thread');
  history.pushState(null, '', href);
  follow();
  const isTyped = matchMedia('(hover: hover)').matches;
  if (ts) (isTyped ? document.getElementById('reply-text') : document.getElementById('close-thread')).focus();
  else list.querySelector(`[data-thread="${left}"]`)?.focus();
}

function follow() {
  const ts = new URLSearchParams(location.search).get('thread');
  document.getElementById('reply').reset();
  document.getElementById('close-thread').href = addressWithout('thread');
  thread.hidden = ts === null;
  replies.replaceChildren();
  connect();
}

function addressWithout(key) {
  const url = new URL(location.href);
  url.searchParams.delete(key);
  return url.href;
}

addEventListener('popstate', follow);

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || document.querySelector('dialog[open]')) return;
  if (document.body.classList.contains('menu')) toggleMenu(false);
  else if (!thread.hidden) openThread(undefined, addressWithout('thread'));
});

menu.addEventListener('click', () => toggleMenu(!document.body.classList.contains('menu')));
document.querySelector('main').addEventListener('click', (event) => {
  if (!menu.contains(event.target)) toggleMenu(false);
});

function toggleMenu(open) {
  if (open === document.body.classList.contains('menu')) return;
  document.body.classList.toggle('menu', open);
  menu.setAttribute('aria-expanded', String(open));
  if (open) side.querySelector('a')?.focus();
  else menu.focus();
}

newer.addEventListener('click', () => {
  toEnd(list);
  list.focus();
});
list.addEventListener('scroll', () => (newer.hidden = isAtEnd(list)));

// A cookie, not the browser's storage: it is the same for every port, and the server draws with it.
document.getElementById('theme').addEventListener('change', ({ target: { value } }) => {
  document.documentElement.dataset.theme = value;
  document.cookie = `theme=${value}; path=/; max-age=31536000; samesite=strict`;
});
