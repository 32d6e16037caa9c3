import { expect, it } from 'vitest';
import { parseSections } from '../../../src/cluster/probes/sections.ts';

it('reads sections, their lines and exit codes', () => {
  const { all, get } = parseSections('Welcome to spark1\n# a\n one\n  two\n rc=0\n# b\n \n rc=127\n');
  expect(all.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(get('a')).toEqual({ name: 'a', lines: ['one', ' two'], exitCode: 0 });
  expect(get('b')).toEqual({ name: 'b', lines: [], exitCode: 127 });
});

it('takes a section without an end for one that never ran to it', () => {
  expect(parseSections('# a\n one').get('a')).toEqual({ name: 'a', lines: ['one'], exitCode: 127 });
  expect(parseSections('').get('a')).toEqual({ name: 'a', lines: [], exitCode: 127 });
});

it('is not misled by output that looks like a header', () => {
  expect(parseSections('# a\n # b\n rc=1\n rc=0\n').all).toEqual([{ name: 'a', lines: ['# b', 'rc=1'], exitCode: 0 }]);
});
