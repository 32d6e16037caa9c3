import { describe, expect, test } from 'vitest';
import { applyOverrides } from '../../src/config/apply-overrides.ts';
import type { Cluster } from '../../src/config/cluster-file.ts';
import { fillCommand } from '../../src/config/fill-command.ts';
import type { Recipe } from '../../src/config/recipe-file.ts';
import { OperatorError } from '../../src/errors.ts';

const DEFAULTS = {
  port: 8000,
  gpu_memory_utilization: 0.8,
  max_model_len: 8192,
  rope_theta: 1,
  quoted: '0.5',
  seed: 0,
  offset: -1,
  eager: false,
  load_format: 'auto',
  layers: 'moe,qkv',
  speculative_config: '{"method": "mtp"}',
  unused: 1,
};

const RECIPE: Recipe = {
  name: 'qwen35',
  description: '',
  model: 'org/model',
  runtime: 'vllm-ray',
  container: 'image',
  minNodes: 1,
  defaults: DEFAULTS,
  decimals: ['rope_theta'],
  env: {},
  secrets: {},
  command: [
    'serve',
    '{model}',
    ...Object.keys(DEFAULTS)
      .filter((key) => key !== 'unused')
      .map((key) => `--${key.replaceAll('_', '-')}={${key}}`),
  ],
};

const CLUSTER: Cluster = {
  name: 'spark',
  description: '',
  channels: [],
  ssh: { user: 'aurora', agent: true, known_hosts: '/k' },
  nodes: [
    {
      name: 'spark1',
      role: 'head',
      address: '10.0.0.1',
      port: 2222,
      via: [],
      fabric: { address: '192.168.200.12', interface: 'en0', rdma: [] },
    },
  ],
  paths: { models: '/m', cache: '/c', state: '/s' },
  ray_port: 29_501,
  caps: { gpu_memory_utilization: 0.88, max_model_len: 262_144 },
  min_gbit: 80,
  tolerates: [],
};

function refusal(raw: Record<string, string>, recipe = RECIPE): OperatorError {
  try {
    applyOverrides(recipe, CLUSTER, raw);
  } catch (error) {
    if (error instanceof OperatorError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('without words, the defaults', () => {
  expect(applyOverrides(RECIPE, CLUSTER, {})).toEqual({ values: DEFAULTS, overrides: {} });
});

describe('understood', () => {
  test.each([
    ['port', '8001', 8001],
    ['max_model_len', '128k', 128_000],
    ['max_model_len', '128K', 131_072],
    ['max_model_len', '25.6k', 25_600],
    ['max_model_len', ' 4096 ', 4096],
    ['gpu_memory_utilization', '0.85', 0.85],
    ['gpu_memory_utilization', '0,85', 0.85],
    ['rope_theta', '1,5', 1.5],
    ['quoted', '0,7', '0.7'],
    ['seed', '7', 7],
    ['offset', '-2', -2],
    ['eager', 'yes', true],
    ['eager', 'OFF', false],
    ['load_format', 'fastsafetensors', 'fastsafetensors'],
    ['load_format', '4', '4'],
    ['layers', 'moe,o,lm_head', 'moe,o,lm_head'],
  ])('%s=%s', (key, text, value) => {
    const { values, overrides } = applyOverrides(RECIPE, CLUSTER, { [key]: text });
    expect(overrides).toEqual({ [key]: value });
    expect(values).toEqual({ ...DEFAULTS, [key]: value });
    expect(fillCommand(RECIPE, values)).toContain(`--${key.replaceAll('_', '-')}=${value}`);
  });

  test('auto, where a number may also stand', () => {
    const recipe = { ...RECIPE, defaults: { ...DEFAULTS, max_model_len: 'auto' } };
    expect(applyOverrides(recipe, CLUSTER, { max_model_len: 'auto' }).overrides).toEqual({ max_model_len: 'auto' });
    expect(applyOverrides(recipe, CLUSTER, { max_model_len: '64K' }).overrides).toEqual({ max_model_len: '65536' });
    expect(refusal({ max_model_len: 'most' }, recipe).message).toContain('must be a whole number');
  });

  test('what the engine adds, when the command is silent', () => {
    const recipe: Recipe = { ...RECIPE, command: ['serve', '{model}'], defaults: { port: 8000 } };
    expect(applyOverrides(recipe, CLUSTER, { port: '8001' }).values).toEqual({ port: 8001 });
    expect(refusal({ port: '8001' }, { ...recipe, command: ['serve', '--port', '8000'] }).message).toContain(
      'would change nothing',
    );
    expect(refusal({ port: '8001' }, { ...recipe, runtime: 'sglang' }).message).toContain('would change nothing');
  });
});

describe('refused', () => {
  test.each([
    ['prot', '8001', 'The recipe qwen35 has no default "prot". Did you mean port?'],
    ['constructor', '1', 'The recipe qwen35 has no default "constructor".'],
    ['model', 'other/model', "The model can't be overridden: deploy the recipe of that model."],
    ['unused', '2', 'unused would change nothing: the command of qwen35 does not take it from its defaults.'],
    [
      'max_model_len',
      '0,8',
      'max_model_len must be a whole number, not "0,8". Write 131072, 128k (128000) or 128K (131072).',
    ],
    ['max_model_len', '1.5K', 'max_model_len must be a whole number, not "1.5K".'],
    ['max_model_len', '131,072', 'max_model_len must be a whole number, not "131,072".'],
    ['max_model_len', '1e5', 'max_model_len must be a whole number, not "1e5".'],
    ['max_model_len', '0', 'max_model_len is 0. It must be 1 to 100000000.'],
    ['max_model_len', '-5', "max_model_len can't be below 0."],
    ['max_model_len', '', 'max_model_len has no value: write max_model_len=8192.'],
    ['max_model_len', '512K', 'max_model_len is at most 262144 on spark.'],
    ['port', '8k', 'port must be a whole number, not "8k".'],
    ['port', '80', 'port is 80. It must be 1024 to 65535.'],
    ['port', '29501', 'port is 29501, which is the ray_port of the cluster spark. Choose another, such as 8000.'],
    ['port', '2222', 'port is 2222, where spark1 has its SSH server. Choose another, such as 8000.'],
    ['gpu_memory_utilization', '80%', 'gpu_memory_utilization must be a number, not "80%". Write 0.8.'],
    ['gpu_memory_utilization', '0.9', 'gpu_memory_utilization is at most 0.88 on spark.'],
    ['gpu_memory_utilization', '1,500', 'gpu_memory_utilization must be a number, not "1,500".'],
    ['gpu_memory_utilization', '85', 'gpu_memory_utilization is 85. It must be 0.01 to 1.'],
    ['seed', '1.5', 'seed must be a whole number'],
    ['eager', 'perhaps', 'eager must be true or false, not "perhaps".'],
    ['load_format', '0,8', `load_format can't be "0,8": write the number out, with a point for a fraction.`],
    ['load_format', '128k', `load_format can't be "128k": write the number out`],
    [
      'load_format',
      '--help',
      `load_format can't be "--help". Write letters, digits and . , : / + @ _ -, beginning with a letter or digit.`,
    ],
    ['load_format', 'a b', `load_format can't be "a b".`],
    ['load_format', '$(id)', `load_format can't be "$(id)".`],
    ['load_format', '{model}', `load_format can't be "{model}".`],
    ['load_format', 'x'.repeat(201), 'load_format may have at most 200 characters.'],
    ['speculative_config', '{"a": 1}', 'Only the recipe can hold such a value.'],
  ])('%s=%s', (key, text, message) => {
    const error = refusal({ [key]: text });
    expect(error.code).toBe('usage');
    expect(error.message).toContain(message);
    expect(error.hint).toContain('qwen35 has: port=8000, gpu_memory_utilization=0.8');
  });

  test('secrets are not repeated', () => {
    for (const raw of [
      { load_format: 'hf_abcdef' },
      { token: 'sk-abcdef' },
      { hf_abcdef: '1' },
      { load_format: 'xoxb-abcdef' },
    ]) {
      const error = refusal(raw);
      expect(error.message).toContain('looks like a secret');
      expect(`${error.message}${error.hint}`).not.toContain('abcdef');
    }
  });

  test('all at once', () => {
    expect(refusal({ prot: '1', eager: 'x', max_model_len: '1M' }).message).toBe(
      'The recipe qwen35 has no default "prot". Did you mean port? eager must be true or false, not "x". max_model_len is at most 262144 on spark.',
    );
  });
});

describe("the recipe's own values above a cap", () => {
  test('by default', () => {
    const recipe = { ...RECIPE, defaults: { ...DEFAULTS, gpu_memory_utilization: 0.95 } };
    const error = refusal({}, recipe);
    expect(error.code).toBe('config');
    expect(error.message).toBe('The recipe qwen35 has gpu_memory_utilization 0.95, where spark allows at most 0.88.');
    expect(error.hint).toBe(
      'Add gpu_memory_utilization=0.88, or change the recipe, or the caps in clusters/spark.yaml.',
    );
    expect(applyOverrides(recipe, CLUSTER, { gpu_memory_utilization: '0.8' }).overrides).toEqual({
      gpu_memory_utilization: 0.8,
    });
  });

  test.each([
    ['in quotes', { defaults: { gpu_memory_utilization: '0.95' } }],
    ['as a flag', { command: ['serve', '--gpu-memory-utilization', '0.95'], defaults: {} }],
    ['as a flag with =', { command: ['serve', '--gpu_memory_utilization=0.95'], defaults: {} }],
    ['as a flag, where the default is lower', { command: ['serve', '--gpu-memory-utilization', '0.95'] }],
  ])('%s', (_, change) => {
    const recipe = { ...RECIPE, ...change } as Recipe;
    expect(refusal({}, recipe).message).toBe(
      'The recipe qwen35 has gpu_memory_utilization 0.95, where spark allows at most 0.88.',
    );
  });
});
