import { describe, expect, test } from 'vitest';
import { splitCommand } from '../../../src/config/recipe/split-command.ts';

const texts = (command: string) => splitCommand(command).words.map((word) => word.text);

describe('words', () => {
  test.each([
    ['vllm serve x', ['vllm', 'serve', 'x']],
    ['  vllm \t serve  ', ['vllm', 'serve']],
    ['vllm \\\n  serve \\\n  x\n', ['vllm', 'serve', 'x']],
    ['vllm \\  \n  serve', ['vllm', 'serve']],
    ['vllm \\\r\n  serve', ['vllm', 'serve']],
    ['--a \'{"b": "c d"}\' --e', ['--a', '{"b": "c d"}', '--e']],
    ["--a '{x}'\\\n  --b", ['--a', '{x}', '--b']],
    ['a"b c"d', ['ab cd']],
    ["''", ['']],
    ['a\\ b \\$c', ['a b', '$c']],
    ['"a\\"b\\\\c\\$d\\x"', ['a"b\\c$d\\x']],
    ["'$(x) | & ; < > ` * ?'", ['$(x) | & ; < > ` * ?']],
    ['"| & ; < >"', ['| & ; < >']],
    ['--layers [1,2] a~b a#b', ['--layers', '[1,2]', 'a~b', 'a#b']],
    ['vllm serve x # the rest is a comment', ['vllm', 'serve', 'x']],
    ['# a comment first\nvllm serve x\n# and last\n', ['vllm', 'serve', 'x']],
    ['', []],
  ])('%j', (command, expected) => {
    expect(texts(command)).toEqual(expected);
    expect(splitCommand(command).problems).toEqual([]);
  });

  test('know their line, and whether anything was quoted', () => {
    const { words } = splitCommand("vllm \\\n --a {b} \\\n '{c}'");
    expect(words).toEqual([
      { text: 'vllm', line: 0, bare: true },
      { text: '--a', line: 1, bare: true },
      { text: '{b}', line: 1, bare: true },
      { text: '{c}', line: 2, bare: false },
    ]);
  });
});

describe('what only a shell could do is refused', () => {
  test.each([
    ['a \\\n $HOME', 1, 'holds $ outside quotes'],
    ['a "$HOME"', 0, 'holds $ outside quotes'],
    ['a `b`', 0, 'holds ` outside quotes'],
    ['a "`b`"', 0, 'holds ` outside quotes'],
    ['a | tee x', 0, 'means a pipe'],
    ['a &', 0, 'means a background job'],
    ['a; b', 0, 'means a second command'],
    ['a < b', 0, 'means a redirection'],
    ['a > b', 0, 'means a redirection'],
    ['a (b)', 0, 'means a subshell'],
    ['a *.json', 0, 'means file names'],
    ['a b?', 0, 'means file names'],
    ['a ~/x', 0, 'means the home folder'],
    ['a --b\n  --c', 1, 'A second command begins on this line'],
    ['a \\\n# note \\\n--c', 2, 'A second command begins on this line'],
    ["a \\\n'b", 1, "The quote ' is never closed"],
  ])('%j', (command, line, wrong) => {
    const { problems } = splitCommand(command);
    expect(problems[0]?.line).toBe(line);
    expect(problems[0]?.wrong).toContain(wrong);
  });
});
