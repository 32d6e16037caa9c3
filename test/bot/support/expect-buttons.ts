import { expect } from 'vitest';
import { buttonCalled } from '../../../src/bot/buttons.ts';

/** Every button has its line in src/bot/buttons.ts, and so its right, its twin and its line in docs/commands.md. */
export function expectButtons(blocks: unknown): void {
  expect(actionIds(blocks).filter((action) => buttonCalled(action) === undefined)).toEqual([]);
}

/** The action_id of every button in it, wherever it stands. */
export function actionIds(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(actionIds);
  if (typeof value !== 'object' || value === null) return [];
  const own = 'type' in value && value.type === 'button' && 'action_id' in value ? [String(value.action_id)] : [];
  return [...own, ...Object.values(value).flatMap(actionIds)];
}
