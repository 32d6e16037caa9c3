import { describe, expect, test } from 'vitest';
import { fitting, section } from '../../../src/bot/cards/message.ts';
import { clip, codeBlock, excerpt, said } from '../../../src/bot/cards/mrkdwn.ts';
import { duration } from '../../../src/bot/cards/time.ts';

test.each([
  ['<!channel> & <@U1|x>', '&lt;!channel&gt; &amp; &lt;@U1|x&gt;'],
  ['two\nlines  and\tmore', 'two lines and more'],
  ['\u001b[31mred\u001b[0m \u0007bell', 'red bell'],
  ['\u202eturned\u200b', 'turned'],
  ['a ```b``` c', 'a `\u200b`\u200b`b`\u200b`\u200b` c'],
  ['token hf_abcdefghijklmnopqrstuvwxyz12345678', 'token [masked]'],
  ['h\u200bf_abcdefghijklmnopqrstuvwxyz12345678', '[masked]'],
])('said %j', (text, expected) => {
  expect(said(text)).toBe(expected);
});

describe('clip', () => {
  test.each([
    ['ab &amp; cd', 7, 'ab…'],
    ['ab <@U0OPERATOR1> cd', 10, 'ab…'],
    ['ab 😀 cd', 5, 'ab…'],
    ['short', 5, 'short'],
  ])('%j to %d', (text, max, expected) => {
    expect(clip(text, max)).toBe(expected);
  });

  test('a code block that is cut is closed', () => {
    const cut = clip(codeBlock(['x'.repeat(50), 'y'.repeat(50)]), 60);
    expect(cut.length).toBeLessThanOrEqual(60);
    expect(cut).toMatch(/^```\nx+…\n```$/);
  });
});

test('half a secret does not come through a cut line', () => {
  const [line] = excerpt([`${'x'.repeat(480)} hf_abcdefghijklmnopqrstuvwxyz12345678`]);
  expect(line).not.toContain('hf_');
});

test('secrets in blocks are masked, and addresses beside mentions stay as they are', () => {
  const text = 'http://10.1.230.180:8000';
  const message = fitting(() => ({ text, blocks: [section(text), section('<@U0OPERATOR1> Bearer abcdefghijklmnop')] }));
  expect(message.blocks).toEqual([section(text), section('<@U0OPERATOR1> Bearer [masked]')]);
});

test.each([
  [0, '0 ms'],
  [12.4, '12 ms'],
  [400, '0.4 s'],
  [980, '1 s'],
  [2_440, '2.4 s'],
  [9_960, '10 s'],
  [12_000, '12 s'],
  [80_000, '1 min 20 s'],
  [960_000, '16 min'],
  [7_500_000, '2 h 5 min'],
  [9 * 86_400_000, '9 days'],
])('%d ms is %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});
