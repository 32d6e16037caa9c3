import { describe, expect, test } from 'vitest';
import { problemLine } from '../../src/config/problem-line.ts';
import { readYaml } from '../../src/config/yaml-file.ts';

const read = (content: string | Uint8Array) => readYaml('x.yaml', Buffer.from(content));

describe('what is no YAML', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['an empty file', '', 'x.yaml: The file is empty. Fill it in, or delete it.'],
    ['only comments', '# nothing\n', 'x.yaml: The file is empty. Fill it in, or delete it.'],
    [
      'Latin-1',
      Uint8Array.from([97, 58, 32, 98, 10, 99, 58, 32, 0xe9, 10]),
      'x.yaml:2: The text is not UTF-8. Save the file as UTF-8.',
    ],
    ['a key twice', 'a: 1\nb: 2\na: 3\n', 'x.yaml:3: The key a stands here a second time. Keep one of the two.'],
    [
      'a key twice, inside',
      'm:\n  port: 1\n  port: 2\n',
      'x.yaml:3: The key port stands here a second time. Keep one of the two.',
    ],
    [
      'a key twice, in braces',
      'm: { a: 1, a: 2 }\n',
      'x.yaml:1: The key a stands here a second time. Keep one of the two.',
    ],
    ['a tab', 'a:\n\tb: 1\n', 'x.yaml:2: A tab indents this line. Indent with spaces.'],
    [
      'two documents',
      'a: 1\n---\nb: 2\n',
      'x.yaml:2: A second document begins here. Keep one document: remove the --- line and what follows.',
    ],
    ['an open quote', 'a: "b\n', 'x.yaml:2: This is not YAML: Missing closing "quote.'],
    ['a tag', 'a: !secret x\n', 'x.yaml:1: The tag is not known'],
    ['an alias of nothing', 'a: *b\n', "x.yaml: An alias can't be read"],
  ])('%s', (_, content, expected) => {
    const { problems, value } = read(content);
    expect(problems.map(problemLine).join('\n')).toContain(expected);
    expect(value).toBeUndefined();
  });

  test('an alias bomb', () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef']) lines.push(`${to}: &${to} [${`*${from}, `.repeat(9)}]`);
    expect(read(lines.join('\n')).problems[0]?.wrong).toContain("An alias can't be read");
  });
});

test('lines of keys, of items and inside text', () => {
  const { lineOf, lineInText, written } = read(
    '# comment\na:\n  - name: x\n  - name: y\n    z: { w: 0.90 }\ncommand: |\n  one\n\n  three\nfolded: >\n  one\n  two\n',
  );
  expect(lineOf(['a', 1])).toBe(4);
  expect(lineOf(['a', 1, 'z', 'w'])).toBe(5);
  expect(lineOf(['a', 1, 'missing'])).toBe(4);
  expect(lineOf(['missing'])).toBe(2);
  expect(lineInText(['command'], 0)).toBe(7);
  expect(lineInText(['command'], 2)).toBe(9);
  expect(lineInText(['folded'], 1)).toBe(10);
  expect(written(['a', 1, 'z', 'w'])).toBe('0.90');
});

test('a byte order mark and Windows line ends are fine', () => {
  expect(read('\u{feff}a: 1\r\nb: 2\r\n').value).toEqual({ a: 1, b: 2 });
});

test('aliases are followed', () => {
  const yaml = read('base: &base\n  x: 1\nother: *base\n');
  expect(yaml.value).toEqual({ base: { x: 1 }, other: { x: 1 } });
  expect(yaml.lineOf(['other', 'x'])).toBe(2);
});
