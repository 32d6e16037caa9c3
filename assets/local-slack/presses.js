import { ask } from './dialogs.js';
import { send } from './send.js';

const busy = new WeakSet();

/** Buttons and selects of messages. */
export function listenToPresses() {
  document.addEventListener('click', ({ target }) => {
    const button = target.closest('.messages button[data-action]');
    if (button) void pressButton(button);
  });
  document.addEventListener('change', ({ target }) => {
    const field = target.closest('.messages [data-input]');
    if (field && field.value !== '') void choose(field);
  });
}

async function pressButton(button) {
  if (busy.has(button)) return;
  // The message may be another one by the time that the question is answered.
  const pressed = placeOf(button, button.dataset.value);
  if (button.dataset.confirm && !(await ask(JSON.parse(button.dataset.confirm)))) return;
  busy.add(button);
  await press(button, pressed);
  busy.delete(button);
}

async function choose(field) {
  const chosen = placeOf(field, field.value);
  if ('menu' in field.dataset) field.value = '';
  await press(field, chosen);
}

function placeOf(element, value) {
  const { ts } = element.closest('[data-ts]').dataset;
  const { block } = element.closest('[data-block]').dataset;
  return { ts, blockId: block, actionId: element.dataset.action, value };
}

// Not `disabled`: that would take the focus away.
async function press(element, pressed) {
  element.setAttribute('aria-busy', 'true');
  await send('click', pressed);
  element.removeAttribute('aria-busy');
}
