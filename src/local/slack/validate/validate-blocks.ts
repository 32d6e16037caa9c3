import type { KnownBlock } from '@slack/types';
import { isObject, objectsIn, textIn, type JsonObject } from '../json.ts';
import { worded, type Problem } from './problem.ts';
import { blockCheck } from './schema.ts';

export type Surface = 'message' | 'modal';

const MOST_BLOCKS: Record<Surface, number> = { message: 50, modal: 100 };
const MOST_MARKDOWN = 12_000;
const NOT_IN_MODALS = new Set(['table', 'data_table', 'markdown', 'plan', 'task_card', 'card', 'carousel']);

/** Everything that Slack would say against the blocks, worded as Slack words it; empty when it takes them. */
export function validateBlocks(blocks: unknown, pointer = '/blocks', surface: Surface = 'message'): string[] {
  if (!Array.isArray(blocks)) return [worded({ text: 'must provide an array', pointer })];
  const problems = [...tooMany(blocks, pointer, surface), ...together(blocks, pointer)];
  for (const [index, block] of blocks.entries()) problems.push(...alone(block, `${pointer}/${index}`, surface));
  return [...new Set(problems.map(worded))];
}

export function areBlocks(blocks: unknown, surface: Surface = 'message'): blocks is KnownBlock[] {
  return validateBlocks(blocks, '/blocks', surface).length === 0;
}

function tooMany(blocks: unknown[], pointer: string, surface: Surface): Problem[] {
  const most = MOST_BLOCKS[surface];
  return blocks.length > most ? [{ text: `no more than ${most} items allowed`, pointer }] : [];
}

/** The rules of one block that are not in Slack's types. */
function alone(block: unknown, pointer: string, surface: Surface): Problem[] {
  if (!isObject(block)) return [{ text: 'must be an object', pointer }];
  const type = textIn(block, 'type') ?? 'undefined';
  const check = blockCheck(type);
  if (!check || (surface === 'modal' && NOT_IN_MODALS.has(type))) {
    return [{ text: `unsupported type: ${type}`, pointer: `${pointer}/type` }];
  }
  const problems = check(block, pointer);
  if (type === 'section' && !block['text'] && objectsIn(block['fields']).length === 0) {
    problems.push({ text: 'missing required field: text', pointer });
  }
  if (hasRepeats(objectsIn(block['elements']), 'action_id')) {
    problems.push({ text: 'action_id already exists', pointer: `${pointer}/elements` });
  }
  if (hasRepeats(objectsIn(block['tasks']), 'task_id')) {
    problems.push({ text: 'task_id already exists', pointer: `${pointer}/tasks` });
  }
  return problems;
}

/** The rules of all blocks together. */
function together(blocks: unknown[], pointer: string): Problem[] {
  const objects = objectsIn(blocks);
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const [index, block] of blocks.entries()) {
    const id = isObject(block) ? textIn(block, 'block_id') : undefined;
    if (id === undefined) continue;
    if (seen.has(id)) problems.push({ text: 'block_id already exists', pointer: `${pointer}/${index}/block_id` });
    seen.add(id);
  }
  const markdown = objects
    .filter((block) => block['type'] === 'markdown')
    .reduce((length, block) => length + (textIn(block, 'text')?.length ?? 0), 0);
  if (markdown > MOST_MARKDOWN) problems.push({ text: `must be less than ${MOST_MARKDOWN + 1} characters`, pointer });
  if (objects.filter((block) => block['type'] === 'table').length > 1) {
    problems.push({ text: 'only_one_table_allowed', pointer });
  }
  return problems;
}

function hasRepeats(objects: JsonObject[], key: string): boolean {
  const ids = objects.map((object) => textIn(object, key)).filter((id) => id !== undefined);
  return new Set(ids).size < ids.length;
}
