import { listenToComposers } from './composers.js';
import { showModal } from './dialogs.js';
import { morph } from './morph.js';
import { listenToPresses } from './presses.js';
import { isAtEnd, stayAtEnd, toEnd } from './scrolling.js';
import { isMenuOpen, listenToSide, toggleMenu } from './side.js';

const [places, head, list, newer, thread, replies, closeThread, announcer] = [
  'places',
  'head',
  'list',
  'newer',
  'thread',
  'replies',
  'close-thread',
  'announcer',
].map((id) => document.getElementById(id));
const ANNOUNCED = 5;
let stream;

listenToComposers();
listenToPresses();
listenToSide();
for (const place of [list, replies]) {
  toEnd(place);
  stayAtEnd(place);
}
connect();

/** The server draws, here it is only put into place: each picture is what the address asks for. */
function connect() {
  stream?.close();
  stream = new EventSource(`/page/stream${location.search}`);
  stream.addEventListener('message', ({ data }) => show(JSON.parse(data)));
  stream.addEventListener('error', () => {
    head.textContent = 'The local Slack does not answer. Trying again.';
  });
}

function show(picture) {
  const focused = document.activeElement?.closest('[data-ts]');
  const home = replies.contains(focused) ? replies : list;
  morph(places, picture.places);
  morph(head, picture.head);
  refresh(list, picture.list);
  thread.hidden = picture.thread === '';
  refresh(replies, picture.thread);
  newer.hidden = isAtEnd(list);
  showModal(picture.modal);
  // What had the focus is gone, such as a pressed button: go on from its message.
  if (focused && document.activeElement === document.body) {
    home.querySelector(`[data-ts="${focused.dataset.ts}"]`)?.focus();
  }
  for (const text of picture.news) {
    announcer.append(Object.assign(document.createElement('p'), { textContent: text }));
  }
  while (announcer.children.length > ANNOUNCED) announcer.firstChild.remove();
}

function refresh(place, html) {
  const follow = isAtEnd(place);
  morph(place, html);
  if (follow) toEnd(place);
}

newer.addEventListener('click', () => {
  toEnd(list);
  list.focus();
});
list.addEventListener('scroll', () => {
  newer.hidden = isAtEnd(list);
});

// A thread opens beside the channel without a new page: what is being typed there stays.
document.addEventListener('click', (event) => {
  const link = event.target.closest('a.replies, #close-thread');
  if (!link || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  showThread(link.dataset.thread);
});
addEventListener('popstate', follow);
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape' || document.querySelector('dialog[open]')) return;
  if (isMenuOpen()) toggleMenu(false);
  else if (!thread.hidden) showThread(undefined);
});

function showThread(ts) {
  const left = openThread();
  const url = new URL(location.href);
  if (ts === undefined) url.searchParams.delete('thread');
  else url.searchParams.set('thread', ts);
  history.pushState(null, '', url);
  follow();
  if (ts === undefined) list.querySelector(`[data-thread="${left}"]`)?.focus();
  // On a phone the box would bring up its keyboard over the thread.
  else (matchMedia('(hover: hover)').matches ? document.getElementById('reply-text') : closeThread).focus();
}

function follow() {
  document.getElementById('reply').reset();
  replies.replaceChildren();
  thread.hidden = openThread() === null;
  connect();
}

function openThread() {
  return new URLSearchParams(location.search).get('thread');
}
