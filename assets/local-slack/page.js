const list = document.getElementById('list');
const front = document.getElementById('front');
const app = document.getElementById('app');
const dialog = document.getElementById('confirm');

new EventSource(`/page/stream${location.search}`).onmessage = (event) => show(JSON.parse(event.data));

document.addEventListener('submit', (event) => {
  event.preventDefault();
  const form = event.target;
  if (form.id === 'modal') {
    send('submit', { viewId: form.dataset.view, typed: typedIn(form) });
    return;
  }
  const text = form.elements.text.value;
  if (text.trim() !== '') send('say', { text, threadTs: form.dataset.thread });
  form.reset();
});

document.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (!button) return;
  if ('close' in button.dataset) send('close', { viewId: button.closest('form').dataset.view });
  if (!button.dataset.action || !list.contains(button)) return;
  const go = () => click(button, button.dataset.value);
  if (button.dataset.confirm) ask(JSON.parse(button.dataset.confirm), go);
  else go();
});

list.addEventListener('change', (event) => {
  if (event.target.matches('[data-action][data-input]')) click(event.target, event.target.value);
});

function show({ list: messages, modal, sockets }) {
  const atEnd = innerHeight + scrollY >= document.body.scrollHeight - 40;
  replace(list, messages);
  if (atEnd) scrollTo(0, document.body.scrollHeight);
  replace(front, modal);
  app.textContent = sockets === 0 ? 'app not connected by socket' : `app connected (${sockets})`;
}

// What somebody is typing stays when the rest changes.
function replace(place, html) {
  if (place.dataset.shown === html) return;
  const typed = [...place.querySelectorAll('input, textarea')].map((field) => [keyOf(field), field.value]);
  const focused = place.contains(document.activeElement) ? keyOf(document.activeElement) : undefined;
  place.dataset.shown = html;
  place.innerHTML = html;
  const values = new Map(typed);
  for (const field of place.querySelectorAll('input, textarea')) {
    if (field.type !== 'checkbox' && field.type !== 'radio') field.value = values.get(keyOf(field)) ?? field.value;
    if (keyOf(field) === focused) field.focus();
  }
}

function keyOf(field) {
  return field.dataset.action ?? field.closest('[data-thread]')?.dataset.thread ?? field.name;
}

function typedIn(form) {
  const fields = [...form.querySelectorAll('[data-input]')];
  const filled = fields.filter((field) => (field.type !== 'checkbox' && field.type !== 'radio') || field.checked);
  return Object.fromEntries(
    filled.filter((field) => field.value !== '').map((field) => [field.dataset.action, field.value]),
  );
}

function click(element, value) {
  element.disabled = true;
  const { ts } = element.closest('[data-ts]').dataset;
  const { block } = element.closest('[data-block]').dataset;
  send('click', { ts, blockId: block, actionId: element.dataset.action, value }, () => (element.disabled = false));
}

function ask({ title, text, confirm, deny }, go) {
  const heading = Object.assign(document.createElement('h3'), { textContent: title || 'Are you sure?' });
  const question = Object.assign(document.createElement('p'), { textContent: text });
  const no = Object.assign(document.createElement('button'), { textContent: deny || 'Cancel', className: 'button' });
  const yes = Object.assign(document.createElement('button'), { textContent: confirm || 'Yes', className: 'button' });
  no.onclick = () => dialog.close('no');
  yes.onclick = () => dialog.close('yes');
  dialog.onclose = () => {
    if (dialog.returnValue === 'yes') go();
  };
  dialog.replaceChildren(heading, question, no, yes);
  dialog.returnValue = 'no';
  dialog.showModal();
}

function send(what, body, done = () => {}) {
  fetch(`/page/${what}${location.search}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
    .then((response) => response.json())
    .then(({ error }) => error && Promise.reject(new Error(error)))
    .catch((error) => (app.textContent = error.message))
    .finally(done);
}
