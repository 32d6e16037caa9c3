import { expect, test } from 'vitest';
import { circular, fill, placeholdersIn, reachable, unescapeBraces } from '../../../src/config/recipe/placeholders.ts';

test('only names in braces are placeholders', () => {
  expect(placeholdersIn('{a} {"b": {c}} {1} {} {d e} {f_2}')).toEqual(['a', 'c', 'f_2']);
});

test('filling reaches into values, and leaves what it does not know', () => {
  const values = { url: 'http://{host}:{port}', host: 'h', port: 8000, on: true };
  expect(fill('{url}/{x} {on}', values)).toBe('http://h:8000/{x} true');
});

test('inherited names are no values', () => {
  expect(fill('{constructor} {toString}', {})).toBe('{constructor} {toString}');
});

test('what a text reaches, and circles', () => {
  const values = { a: '{b}', b: '{c}', c: 1, d: '{e}', e: 'x{d}' };
  expect([...reachable(['{a}'], values)]).toEqual(['a', 'b', 'c']);
  expect(circular(values)).toBe('d');
  expect(circular({ a: '{b}', b: 1 })).toBeUndefined();
});

test.each([
  ['{{"n":{n}}}', false, { text: '{"n":{n}}', names: ['n'], literal: [] }],
  ['{{x}}', false, { text: '{x}', names: [], literal: ['x'] }],
  ['{"a": 1}', false, { bad: '{"a": 1}' }],
  ['a}', false, { bad: '}' }],
  ['{n!r}', false, { bad: '{n!r}' }],
  ['{"a": {n}, "b": {{"c": 1}}}', true, { text: '{"a": {n}, "b": {"c": 1}}', names: ['n'], literal: [] }],
])('str.format: %s', (source, lenient, expected) => {
  expect(unescapeBraces(source, { lenient })).toEqual(expected);
});
