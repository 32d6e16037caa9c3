import { describe, expect, test } from 'vitest';
import { listed, nearest, noSuch } from '../../src/config/nearest.ts';

test.each([
  ['qwen53', ['qwen35', 'minimax'], 'qwen35'],
  ['Qwen35', ['qwen35'], 'qwen35'],
  ['prot', ['host', 'port'], 'port'],
  ['max-model-len', ['max_num_seqs', 'max_model_len'], 'max_model_len'],
  ['tensor_parallel_size', ['tensor_parallel', 'pipeline_parallel'], 'tensor_parallel'],
  ['mini', ['qwen35', 'minimax-m2.7-awq4'], 'minimax-m2.7-awq4'],
  ['qwen', ['qwen3-coder-next', 'qwen3-vl-reranker'], undefined],
  ['lab', ['spark'], undefined],
  ['x', [], undefined],
])('nearest of %s', (word, candidates, expected) => {
  expect(nearest(word, candidates)).toBe(expected);
});

describe('sentences', () => {
  test('a wrong name', () => {
    expect(noSuch('recipe', 'qwen53', ['qwen35'])).toBe('There is no recipe "qwen53". Did you mean qwen35?');
    expect(noSuch('cluster', 'lab', ['spark'])).toBe('There is no cluster "lab".');
    expect(noSuch('recipe', 'x'.repeat(200), [])).toHaveLength('There is no recipe "".'.length + 60);
  });

  test.each([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b'], 'a and b'],
    [['a', 'b', 'c'], 'a, b and c'],
  ])('lists %j', (names, expected) => {
    expect(listed(names)).toBe(expected);
  });

  test('long lists end', () => {
    expect(listed(['a', 'b', 'c', 'd'], { max: 2 })).toBe('a, b and 2 more');
    expect(listed(['a', 'b'], { word: 'or' })).toBe('a or b');
  });
});
