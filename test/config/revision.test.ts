import { expect, test } from 'vitest';
import { revision } from '../../src/config/revision.ts';

const file = (name: string, text: string) => ({ name, content: Buffer.from(text) });

test('names, contents and order count', () => {
  const both = revision([file('a', '1'), file('b', '2')]);
  expect(both).toMatch(/^[0-9a-f]{8}$/);
  expect(revision([file('a', '1'), file('b', '2')])).toBe(both);
  expect(revision([file('b', '2'), file('a', '1')])).not.toBe(both);
  expect(revision([file('a', '1'), file('b', '3')])).not.toBe(both);
  expect(revision([file('a', '1b2')])).not.toBe(revision([file('a', '1'), file('b', '2')]));
});
