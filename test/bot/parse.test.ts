import { describe, expect, test } from 'vitest';
import type { Grammar } from '../../src/bot/grammar.ts';
import { usage } from '../../src/bot/grammar.ts';
import { parse, whichCommand } from '../../src/bot/parse.ts';
import { toWords } from '../../src/bot/words.ts';

const deploy: Grammar = {
  name: 'deploy',
  positional: ['recipe'],
  words: { on: 'cluster' },
  flags: [],
  overrides: true,
  required: ['recipe'],
};
const logs: Grammar = {
  name: 'logs',
  positional: ['number'],
  words: { on: 'cluster', node: 'node', lines: 'lines' },
  flags: [],
  overrides: false,
  required: [],
};

function read(grammar: Grammar, text: string) {
  return parse(grammar, toWords(text));
}

const onSpark = { values: { recipe: 'qwen35', cluster: 'spark' }, overrides: {} };

describe('words', () => {
  test.each([
    ['qwen35 on spark', 'plain words'],
    ['qwen35 --on spark', 'a flag'],
    ['qwen35 --on=spark', 'a flag with ='],
    ['qwen35 on=spark', 'a word with ='],
    ['--on spark qwen35', 'the flag first'],
    ['qwen35 On spark', 'a capital of a phone'],
    ['qwen35 —on spark', 'an em dash of an iPhone'],
    ['qwen35 –on spark', 'an en dash of Android'],
    ['qwen35 ——on spark', 'two dashes, each made long'],
    ['qwen35 — on spark', 'a dash as punctuation'],
    ['qwen35\u00a0on\u202fspark', 'no-break spaces'],
    ['  qwen35\u2003on\tspark\n', 'other spaces'],
    ['qwen\u200b35 on spa\u00adrk\ufeff', 'zero-width characters'],
    ['“qwen35” on „spark“', 'curly and low quotes'],
    ['‘qwen35’ on ‚spark‘', 'single curly quotes'],
    ['`qwen35` on `spark`', 'code marks'],
    ['ｑｗｅｎ３５ on spark', 'full-width letters'],
    ['<http://qwen35|qwen35> on <#C0OPS000001|spark>'.replace('#C0OPS000001|', 'http://x|'), 'links of Slack'],
  ])('%s: %s', (text) => {
    expect(read(deploy, text)).toEqual(onSpark);
  });

  test.each([
    [
      'qwen35 on spark max_model_len=8192 gpu_memory_utilization=0.8',
      { max_model_len: '8192', gpu_memory_utilization: '0.8' },
    ],
    ['qwen35 on spark note="eval run"', { note: 'eval run' }],
    ['qwen35 on spark note=“Operator’s eval”', { note: "Operator's eval" }],
    ['qwen35 on spark --max_model_len=8192', { max_model_len: '8192' }],
    ['qwen35 on spark note=it’s', { note: "it's" }],
    ["qwen35 on spark note='Maya's run'", { note: "Maya's run" }],
    ['qwen35 on spark a=1 &lt;b&gt;=2'.replace('&lt;b&gt;=2', 'b=&lt;&amp;lt;&gt;'), { a: '1', b: '<&lt;>' }],
    ['qwen35 on spark url=<http://x.local/a?b=1|x.local/a?b=1>', { url: 'x.local/a?b=1' }],
    [
      'qwen35 on spark mail=<mailto:a@b.c|a@b.c> who=<@U123|op> where=<#C12|ops>',
      { mail: 'a@b.c', who: '@U123', where: '#ops' },
    ],
    ['qwen35 on spark who=<@U123> where=<#C12|>', { who: '@U123', where: '#C12' }],
    ['qwen35 on spark range=1–2', { range: '1–2' }],
  ])('%s', (text, overrides) => {
    expect(read(deploy, text)).toEqual({ ...onSpark, overrides });
  });

  test.each([
    ['"on" on spark', { recipe: 'on', cluster: 'spark' }],
    ['"a=b" on spark', { recipe: 'a=b', cluster: 'spark' }],
    ['“—on” on spark', { recipe: '—on', cluster: 'spark' }],
  ])('a quoted word is a value: %s', (text, values) => {
    expect(read(deploy, text)).toEqual({ values, overrides: {} });
  });

  test('words of another command', () => {
    const values = { number: '#142', cluster: 'spark', lines: '50', node: 'spark1' };
    expect(read(logs, '#142 on spark lines 50 node spark1')).toEqual({ values, overrides: {} });
    expect(read(logs, 'lines 5')).toEqual({ values: { lines: '5' }, overrides: {} });
  });
});

describe('what is wrong is said', () => {
  test.each([
    ['', 'Which recipe?'],
    ['on spark', 'Which recipe?'],
    ['qwen35 spark', 'I don\'t know the word "spark" here.'],
    ['qwen35 onn spark', 'I don\'t know the word "onn" here. Did you mean "on"?'],
    ['qwen35 --om spark', 'I don\'t know the word "--om" here. Did you mean "on"?'],
    ['qwen35 on', '"on" needs a cluster after it.'],
    ['qwen35 on max_model_len=1', '"on" needs a cluster after it.'],
    ['qwen35 on a on b', '"on" is given twice.'],
    ['qwen35 a=1 a=2', '"a" is given twice.'],
    ['qwen35 a=', '"a" has no value.'],
    ['qwen35 note="eval run', 'The quote before "eval run" is never closed.'],
    ['qwen35 “eval', 'The quote before "eval" is never closed.'],
    ['qwen35 __proto__=1', 'I don\'t know the word "__proto__=1" here.'],
    [
      'qwen35 HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz0123',
      'One of these words looks like a secret. I stored nothing of it.',
    ],
    ['xoxb-1234567890-abcdef', 'One of these words looks like a secret. I stored nothing of it.'],
  ])('deploy %s', (text, message) => {
    expect(() => read(deploy, text)).toThrow(message);
  });

  test('a key=value that a command has no use for', () => {
    expect(() => read(logs, 'line=5')).toThrow('Did you mean "lines"?');
  });

  test('a text of more than 8 KB is refused, one of 8 KB is read', () => {
    expect(toWords('a'.repeat(8_192))).toHaveLength(1);
    expect(() => toWords('a'.repeat(8_193))).toThrow('more than 8 KB');
    expect(() => toWords('é'.repeat(4_097))).toThrow('more than 8 KB');
  });

  test('the nearest command is offered', () => {
    const commands = ['deploy', 'status', 'logs', 'stop', 'cancel', 'help'].map((name) => ({ name }));
    expect(whichCommand(commands, 'Deploy').name).toBe('deploy');
    expect(() => whichCommand(commands, 'deplyo')).toThrow(
      expect.objectContaining({ hint: 'Did you mean /spark deploy?' }),
    );
    expect(() => whichCommand(commands, 'xyzzy')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('/spark help') }),
    );
  });
});

test('usage is derived from the grammar', () => {
  expect(usage(deploy)).toBe('/spark deploy RECIPE [on CLUSTER] [key=value ...]');
  expect(usage(logs)).toBe('/spark logs [NUMBER] [on CLUSTER] [node NAME] [lines N]');
});
