import { expect, test } from 'vitest';
import { firstSentences } from '../../../src/cluster/logs/first-sentences.ts';

test.each([
  ['Short.', 20, 'Short.'],
  ['One sentence. Another one. A third.', 28, 'One sentence. Another one.'],
  ['Needs 2.00 GiB and has 1.32 GiB.', 20, 'Needs 2.00 GiB and…'],
  ['No. And then a long one follows that is cut', 30, 'No. And then a long one…'],
  ['x'.repeat(30), 10, `${'x'.repeat(9)}…`],
])('%s', (text, max, expected) => {
  expect(firstSentences(text, max)).toBe(expected);
});
