import { expect, test } from 'vitest';
import { allCommands } from '../../src/bot/commands/all.ts';
import { BUTTONS, buttonCalled, typedTwin } from '../../src/bot/buttons.ts';
import { expectButtons, actionIds } from './support/expect-buttons.ts';
import { fakeJobs } from './support/fake-jobs.ts';
import { cardsWithButtons } from './support/sample-cards.ts';

const commands = allCommands({ jobs: fakeJobs(), places: { canPost: async () => undefined }, now: () => new Date() });

test('every button of the cards is registered, and every registered one is on a card', () => {
  const shown = cardsWithButtons().flatMap(({ blocks }) => actionIds(blocks));
  expect(shown.length).toBeGreaterThan(3);
  expect(shown.filter((action) => !buttonCalled(action))).toEqual([]);
  const seen = new Set(shown.map(buttonCalled));
  const missing = BUTTONS.filter((button) => !seen.has(button)).map(({ label }) => label);
  expect(missing, 'add a message that has it to test/bot/support/sample-cards.ts').toEqual([]);
});

test('an action_id that is not registered fails every test that sees its card', () => {
  const button = { type: 'button', action_id: 'explode', text: { type: 'plain_text', text: 'Explode' } };
  expect(() => expectButtons([{ type: 'actions', elements: [button] }])).toThrow('explode');
  expect(() => expectButtons([{ type: 'section', accessory: button }])).toThrow('explode');
});

test('the twin of each is a command', () => {
  const names = new Set(commands.map(({ name }) => name));
  const twins = BUTTONS.flatMap((button) => ('twin' in button ? [button.twin] : []));
  expect(twins.filter((twin) => !names.has(twin))).toEqual([]);
});

test('what would be typed', async () => {
  const find = async (uid: string) => (uid === 'uid142' ? { number: 142 } : undefined);
  expect(await typedTwin('cancel', 'uid142', find)).toBe('cancel 142');
  expect(await typedTwin('cancel', 'uid1', find)).toBeUndefined();
  expect(await typedTwin('say', 'status spark share', find)).toBe('status spark share');
  expect(await typedTwin('say-3', 'deploy qwen35 on spark', find)).toBe('deploy qwen35 on spark');
});

test('a value that is another command than its button is not followed', async () => {
  const find = async () => undefined;
  expect(await typedTwin('say', 'stop spark', find)).toBeUndefined();
  expect(await typedTwin('explode', 'stop spark', find)).toBeUndefined();
  expect(await typedTwin('say-3', 7, find)).toBeUndefined();
});
