import type { ModalView } from '@slack/types';
import { isObject, objectsIn } from '../json.ts';
import { worded } from './problem.ts';
import { checkModal } from './schema.ts';
import { validateBlocks } from './validate-blocks.ts';

/** As validateBlocks, for a modal. */
export function validateView(view: unknown, pointer = '/view'): string[] {
  if (!isObject(view)) return [worded({ text: 'must be an object', pointer })];
  // Its blocks are judged one by one below, with better words.
  const frame = checkModal({ ...view, blocks: [] }, pointer).map(worded);
  const blocks = validateBlocks(view['blocks'], `${pointer}/blocks`, 'modal');
  const hasInput = objectsIn(view['blocks']).some((block) => block['type'] === 'input');
  const submit = hasInput && !view['submit'] ? [worded({ text: 'missing required field: submit', pointer })] : [];
  return [...frame, ...blocks, ...submit];
}

export function isModal(view: unknown): view is ModalView {
  return validateView(view).length === 0;
}
