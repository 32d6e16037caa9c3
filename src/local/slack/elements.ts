import type { KnownBlock } from '@slack/types';
import { isObject, objectsIn, textIn, type JsonObject } from './json.ts';
import type { Values } from './view.ts';

export interface Found {
  blockId: string;
  element: JsonObject;
}

export interface Wanted {
  actionId: string;
  blockId?: string | undefined;
  /** Of a button: its value. Of a select: the option's. */
  value?: string | undefined;
}

/** The first element that people can act on and that is the wanted one. */
export function findElement(blocks: readonly KnownBlock[], { actionId, blockId, value }: Wanted): Found | undefined {
  return elementsOf(blocks).find(
    (found) =>
      textIn(found.element, 'action_id') === actionId &&
      (blockId === undefined || found.blockId === blockId) &&
      (value === undefined || takes(found.element, value)),
  );
}

/** What stands in a block_actions payload for the element. */
export function actionOn({ blockId, element }: Found, value: string | undefined): JsonObject {
  const common = { type: element['type'], action_id: element['action_id'], block_id: blockId };
  if (element['type'] !== 'button') {
    return { ...common, ...selection(element, value), ...pick(element, ['placeholder']) };
  }
  return { ...common, ...pick(element, ['text', 'value', 'style', 'url']) };
}

/** The state of an element in which an option was chosen; nothing for a button. */
export function selection(element: JsonObject, value: string | undefined): JsonObject {
  switch (element['type']) {
    case 'button':
      return {};
    case 'users_select':
      return { selected_user: value ?? null };
    case 'checkboxes':
    case 'multi_static_select':
      return { selected_options: optionsOf(element).filter((option) => option['value'] === value) };
    case 'static_select':
    case 'overflow':
    case 'radio_buttons':
      return { selected_option: optionsOf(element).find((option) => option['value'] === value) ?? null };
    default:
      return { value: value ?? null };
  }
}

/** Slack's state.values of the inputs of a view, from what was typed or chosen in them. */
export function stateOf(blocks: readonly KnownBlock[], typed: Record<string, string>): Values {
  const values: Values = {};
  for (const { blockId, element } of elementsOf(blocks)) {
    const actionId = textIn(element, 'action_id');
    if (actionId === undefined || element['type'] === 'button') continue;
    const value = typed[actionId] ?? initialValue(element);
    (values[blockId] ??= {})[actionId] = { type: element['type'], ...selection(element, value) };
  }
  return values;
}

export function optionsOf(element: JsonObject): JsonObject[] {
  const groups = objectsIn(element['option_groups']).flatMap((group) => objectsIn(group['options']));
  return [...objectsIn(element['options']), ...groups];
}

function elementsOf(blocks: readonly KnownBlock[]): Found[] {
  return blocks.flatMap((block) => {
    const fields: JsonObject = { ...block };
    const elements = [...objectsIn(fields['elements']), ...objectsIn(fields['actions'])];
    for (const key of ['accessory', 'element']) if (isObject(fields[key])) elements.push(fields[key]);
    return elements.map((element) => ({ blockId: block.block_id ?? '', element }));
  });
}

function initialValue(element: JsonObject): string | undefined {
  const option = element['initial_option'];
  return isObject(option) ? textIn(option, 'value') : textIn(element, 'initial_value');
}

function takes(element: JsonObject, value: string): boolean {
  if (element['type'] === 'button') return element['value'] === value;
  if (element['type'] === 'users_select') return true;
  return optionsOf(element).some((option) => option['value'] === value);
}

function pick(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => object[key] !== undefined).map((key) => [key, object[key]]));
}
