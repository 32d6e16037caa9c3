import { morph } from './morph.js';
import { send } from './send.js';

const modal = document.getElementById('modal');
const confirmation = document.getElementById('confirm');

/** The app's modal, as the server has it. */
export function showModal(html) {
  if (html === '') {
    if (modal.open) modal.close();
    modal.replaceChildren();
    return;
  }
  const hadErrors = modal.querySelector('[aria-invalid]') !== null;
  morph(modal, html);
  if (!modal.open) modal.showModal();
  const wrong = modal.querySelector('[aria-invalid]');
  if (wrong && !hadErrors) wrong.focus();
}

modal.addEventListener('cancel', (event) => {
  event.preventDefault();
  closeModal();
});
modal.addEventListener('click', (event) => {
  if (event.target.closest('[data-close]')) closeModal();
});
modal.addEventListener('submit', (event) => {
  event.preventDefault();
  void send('submit', { viewId: event.target.dataset.view, typed: typedIn(event.target) });
});

/** Slack's question before a press. Resolves with whether the person says yes. */
export function ask({ title, text, confirm, deny, style }) {
  const form = element('form', '', { method: 'dialog' });
  const no = element('button', deny || 'Cancel', { className: 'button', value: 'no' });
  const yes = element('button', confirm || 'Yes', { className: `button ${style}`, value: 'yes' });
  const footer = element('footer', '');
  footer.append(no, yes);
  form.append(
    element('h2', title || 'Are you sure?', { id: 'confirm-title' }),
    element('p', text, { id: 'confirm-text' }),
    footer,
  );
  confirmation.setAttribute('aria-describedby', 'confirm-text');
  confirmation.replaceChildren(form);
  confirmation.returnValue = 'no';
  confirmation.showModal();
  return new Promise((resolve) => {
    // Its event comes late: the last question's may arrive while this one is open.
    confirmation.onclose = () => {
      if (!confirmation.open) resolve(confirmation.returnValue === 'yes');
    };
  });
}

function closeModal() {
  void send('close', { viewId: modal.querySelector('form').dataset.view });
}

function typedIn(form) {
  const filled = [...form.querySelectorAll('[data-input]')]
    .filter((field) => (field.type !== 'checkbox' && field.type !== 'radio') || field.checked)
    .filter((field) => field.value !== '');
  return Object.fromEntries(filled.map((field) => [field.dataset.action, field.value]));
}

function element(name, textContent, properties = {}) {
  return Object.assign(document.createElement(name), { textContent, ...properties });
}
