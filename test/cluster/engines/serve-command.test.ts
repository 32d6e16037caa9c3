import { expect, it } from 'vitest';
import { complete, flagValues } from '../../../src/cluster/engines/serve-command.ts';

it.each([
  ['--port 8000', ['8000']],
  ['--port=8000', ['8000']],
  ['--port 1 --port 2', ['2']],
  ['--served-model-name a b --port 1', ['1']],
  ['serve m', []],
  ['--reported 1', []],
])('reads the value of --port in %j', (text, values) => {
  expect(flagValues(text.split(' '), '--port')).toEqual(values);
});

it('reads short forms and underscores', () => {
  expect(flagValues(['-tp', '2'], '--tensor-parallel-size')).toEqual(['2']);
  expect(flagValues(['-tp=2'], '--tensor-parallel-size')).toEqual(['2']);
  expect(flagValues(['--tensor_parallel_size', '2'], '--tensor-parallel-size')).toEqual(['2']);
});

it('reads several values of one flag', () => {
  expect(flagValues(['--served-model-name', 'a', 'b', '--port', '1'], '--served-model-name')).toEqual(['a', 'b']);
});

it('adds only flags that have a value and are missing', () => {
  expect(complete(['x', '--port', '1'], { '--port': 2, '--host': 'h', '--other': undefined })).toEqual({
    argv: ['x', '--port', '1', '--host', 'h'],
    added: ['--host h'],
  });
});
