import { isObject, objectsIn, textIn, type JsonObject } from '../json.ts';
import { optionsOf } from '../elements.ts';
import { escapeHtml, linkHtml, plainHtml } from './html.ts';

type Named = readonly { id: string; displayName: string }[];

/** Something to act on: a button, a select, an input. The page's script finds it by its data attributes. */
export function elementHtml(element: JsonObject, people: Named): string {
  return controlHtml(element, people, ` aria-label="${escapeHtml(nameOf(element))}"`);
}

/** The same inside a label. `errorId`: of the text that says what is wrong with its value. */
export function labelledHtml(element: JsonObject, people: Named, errorId: string | undefined): string {
  const about = errorId === undefined ? '' : ` aria-invalid="true" aria-describedby="${errorId}"`;
  return controlHtml(element, people, about);
}

function controlHtml(element: JsonObject, people: Named, about: string): string {
  const type = textIn(element, 'type') ?? '';
  switch (type) {
    case 'button':
      return buttonHtml(element);
    case 'image':
      return `<img class="small" src="${attribute(element, 'image_url')}" alt="${attribute(element, 'alt_text')}">`;
    case 'static_select':
    case 'overflow':
    case 'multi_static_select':
      return selectHtml(
        element,
        optionsOf(element).map((option) => [textIn(option, 'value') ?? '', labelOf(option)]),
        about,
      );
    case 'users_select':
      return selectHtml(
        element,
        people.map((person) => [person.id, person.displayName]),
        about,
      );
    case 'radio_buttons':
    case 'checkboxes':
      return choicesHtml(element, type === 'checkboxes' ? 'checkbox' : 'radio');
    case 'plain_text_input':
      return element['multiline'] === true ? areaHtml(element, about) : inputHtml(element, 'text', about);
    case 'number_input':
      return inputHtml(element, 'number', about);
    case 'email_text_input':
      return inputHtml(element, 'email', about);
    case 'url_text_input':
      return inputHtml(element, 'url', about);
    default:
      return `<span class="unknown">[${escapeHtml(type)}]</span>`;
  }
}

function buttonHtml(element: JsonObject): string {
  const style = textIn(element, 'style') ?? '';
  const label = plainHtml(labelOf(element));
  const url = textIn(element, 'url');
  const confirm = isObject(element['confirm']) ? ` data-confirm="${confirmAttribute(element['confirm'])}"` : '';
  const value = textIn(element, 'value') === undefined ? '' : ` data-value="${attribute(element, 'value')}"`;
  const title = textIn(element, 'accessibility_label');
  const name = title === undefined ? '' : ` aria-label="${escapeHtml(title)}"`;
  const key = attribute(element, 'action_id') + attribute(element, 'value');
  const button = `<button type="button" data-key="${key}" class="button ${escapeHtml(style)}" ${action(element)}${value}${confirm}${name}>${label}</button>`;
  return url === undefined ? button : `${button} ${linkHtml(url, 'open')}`;
}

function confirmAttribute(confirm: JsonObject): string {
  const texts = ['title', 'text', 'confirm', 'deny'].map((key) => [key, labelOf({ text: confirm[key] })]);
  return escapeHtml(JSON.stringify({ ...Object.fromEntries(texts), style: textIn(confirm, 'style') ?? 'primary' }));
}

function selectHtml(element: JsonObject, options: [string, string][], about: string): string {
  const isMenu = element['type'] === 'overflow';
  const initial = initialValues(element);
  const placeholder = labelOf({ text: element['placeholder'] }) || (isMenu ? '⋯' : 'Choose');
  const items = options.map(([value, label]) => {
    const selected = initial.includes(value) ? ' selected' : '';
    return `<option value="${escapeHtml(value)}"${selected}>${escapeHtml(label)}</option>`;
  });
  return (
    `<select ${action(element)} data-input${isMenu ? ' data-menu' : ''}${about}>` +
    `<option value="">${escapeHtml(placeholder)}</option>${items.join('')}</select>`
  );
}

function choicesHtml(element: JsonObject, type: 'checkbox' | 'radio'): string {
  const initial = initialValues(element);
  return optionsOf(element)
    .map((option) => {
      const checked = initial.includes(textIn(option, 'value') ?? '') ? ' checked' : '';
      const input = `<input type="${type}" name="${attribute(element, 'action_id')}" value="${attribute(option, 'value')}" ${action(element)} data-input${checked}>`;
      return `<label class="choice">${input} ${plainHtml(labelOf(option))}</label>`;
    })
    .join('');
}

function initialValues(element: JsonObject): string[] {
  const one = isObject(element['initial_option']) ? [element['initial_option']] : [];
  const values = [...one, ...objectsIn(element['initial_options'])].map((option) => textIn(option, 'value') ?? '');
  return [...values, textIn(element, 'initial_user') ?? ''].filter((value) => value !== '');
}

function inputHtml(element: JsonObject, type: 'text' | 'number' | 'email' | 'url', about: string): string {
  return `<input type="${type}" ${action(element)} data-input${about} value="${attribute(element, 'initial_value')}" placeholder="${escapeHtml(labelOf({ text: element['placeholder'] }))}">`;
}

function areaHtml(element: JsonObject, about: string): string {
  return `<textarea ${action(element)} data-input${about} rows="4">${attribute(element, 'initial_value')}</textarea>`;
}

function nameOf(element: JsonObject): string {
  const placeholder = labelOf({ text: element['placeholder'] });
  const otherwise = element['type'] === 'overflow' ? 'More' : 'Choose';
  return textIn(element, 'accessibility_label') ?? (placeholder || otherwise);
}

function action(element: JsonObject): string {
  return `data-action="${attribute(element, 'action_id')}"`;
}

function attribute(element: JsonObject, key: string): string {
  return escapeHtml(textIn(element, key) ?? '');
}

function labelOf(object: JsonObject): string {
  return isObject(object['text']) ? (textIn(object['text'], 'text') ?? '') : '';
}
