import { toEnd } from './scrolling.js';
import { send } from './send.js';

/** The boxes to type in: Enter sends, Shift+Enter begins a line. */
export function listenToComposers() {
  for (const form of document.querySelectorAll('.composer')) {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void say(form);
    });
    form.elements.text.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
  }
  for (const button of document.querySelectorAll('[data-try]')) {
    button.addEventListener('click', () => {
      const box = document.getElementById('text');
      box.value = button.dataset.try;
      box.focus();
    });
  }
}

async function say(form) {
  const box = form.elements.text;
  const text = box.value;
  if (text.trim() === '') return;
  const isReply = form.id === 'reply';
  const threadTs = isReply ? new URLSearchParams(location.search).get('thread') : undefined;
  box.value = '';
  toEnd(document.getElementById(isReply ? 'replies' : 'list'));
  const sent = await send('say', { text, threadTs });
  if (!sent && box.value === '') box.value = text;
}
