import { isObject, type JsonObject } from '../json.ts';
import { newElementId } from '../ids.ts';

const HAVE_ACTIONS = new Set(['button', 'static_select', 'overflow', 'checkboxes', 'radio_buttons', 'users_select']);

/** Slack's servers escape bare `&`, `<` and `>` that belong to no entity and no control sequence. */
export function escapeText(text: string): string {
  return text
    .replace(/&(?!(?:amp|lt|gt);)/g, '&amp;')
    .replace(/<(?!(?:[@#!]|https?:|mailto:)[^<>\n]*>)/g, '&lt;')
    .replace(/(<(?:[@#!]|https?:|mailto:)[^<>\n]*>)|>/g, (_all, control: string | undefined) => control ?? '&gt;');
}

/** Blocks as Slack hands them back: with ids where the app left them out, defaults filled in, and text escaped. */
export function blocksAsStored(blocks: readonly unknown[]): unknown[] {
  return blocks.map((block) => {
    const stored = filledIn(block);
    return isObject(stored) ? { block_id: newElementId(), ...stored } : stored;
  });
}

function filledIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filledIn);
  if (!isObject(value)) return value;
  const copy: JsonObject = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, filledIn(child)]));
  const type = value['type'];
  if (type === 'plain_text') return { emoji: true, ...copy };
  if (type === 'mrkdwn' && typeof value['text'] === 'string') {
    return { verbatim: false, ...copy, text: escapeText(value['text']) };
  }
  if (typeof type === 'string' && HAVE_ACTIONS.has(type)) return { action_id: newElementId(), ...copy };
  return copy;
}
