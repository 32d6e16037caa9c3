import { describe, expect, test } from 'vitest';
import { fillCommand } from '../../../src/config/fill-command.ts';
import { problemLine } from '../../../src/config/problem-line.ts';
import { PER_NODE_VARIABLES } from '../../../src/config/recipe/read-env.ts';
import { readRecipe } from '../../../src/config/recipe/read-recipe.ts';
import type { Recipe } from '../../../src/config/recipe-file.ts';
import { readYaml } from '../../../src/config/yaml-file.ts';

const HEAD = ['model: org/model', 'container: image:1', ''].join('\n');

function read(text: string, mods: string[] = []): ReturnType<typeof readRecipe> {
  return readRecipe(readYaml('recipes/x.yaml', Buffer.from(text)), { name: 'x', mods: new Set(mods) });
}

function recipe(text: string): Recipe {
  const result = read(text);
  if ('problems' in result) throw new Error(result.problems.map(problemLine).join('\n'));
  return result.recipe;
}

function problems(text: string, mods?: string[]): string[] {
  const result = read(text, mods);
  return 'problems' in result ? result.problems.map(problemLine) : [];
}

function filled(text: string): string[] {
  const one = recipe(text);
  return fillCommand(one, one.defaults);
}

describe('sparkrun v2', () => {
  test('a whole recipe', () => {
    const text = `recipe_version: "2"
model: org/model-FP8
runtime: vllm-ray
container: ghcr.io/org/image:latest
min_nodes: 2
max_nodes: 2
metadata: { description: A model, category: chat }
benchmark: { framework: llama-benchy }
executor_config: { user: root }
defaults:
  port: 8000
  gpu_memory_utilization: 0.90
  rope_theta: 1.0
  speculative_config: '{"method": "mtp", "num_speculative_tokens": 2}'
env:
  A: "1"
  B: 1.10
  HF_TOKEN: secret:HF_TOKEN
command: |
  vllm serve {model} \\
    --port {port} --speculative-config '{speculative_config}' \\
    --hf-overrides '{"a": {"b": 1}}'
`;
    expect(recipe(text)).toEqual({
      name: 'x',
      description: 'A model',
      model: 'org/model-FP8',
      runtime: 'vllm-ray',
      container: 'ghcr.io/org/image:latest',
      minNodes: 2,
      maxNodes: 2,
      defaults: {
        port: 8000,
        gpu_memory_utilization: 0.9,
        rope_theta: 1,
        speculative_config: '{"method": "mtp", "num_speculative_tokens": 2}',
      },
      decimals: ['gpu_memory_utilization', 'rope_theta'],
      env: { A: '1', B: '1.10' },
      secrets: { HF_TOKEN: 'HF_TOKEN' },
      command: [
        'vllm',
        'serve',
        '{model}',
        '--port',
        '{port}',
        '--speculative-config',
        '{speculative_config}',
        '--hf-overrides',
        '{"a": {"b": 1}}',
      ],
      unused: ['executor_config'],
    });
    expect(filled(text)).toEqual([
      'vllm',
      'serve',
      'org/model-FP8',
      '--port',
      '8000',
      '--speculative-config',
      '{"method": "mtp", "num_speculative_tokens": 2}',
      '--hf-overrides',
      '{"a": {"b": 1}}',
    ]);
  });

  test.each([
    [
      'a value stays inside its word',
      "defaults: { a: 'x y; $z' }\ncommand: serve '{a}' --b='{a}'",
      ['serve', 'x y; $z', '--b=x y; $z'],
    ],
    [
      'a bare value of several words is several words',
      'defaults: { sizes: 1 2 4 }\ncommand: serve --bs {sizes}',
      ['serve', '--bs', '1', '2', '4'],
    ],
    ['a bare empty value is no word', 'defaults: { extra: "" }\ncommand: serve {extra} -b', ['serve', '-b']],
    ['a quoted empty value is one', 'defaults: { extra: "" }\ncommand: serve \'{extra}\'', ['serve', '']],
    ['values hold values', 'defaults: { url: "{host}:1", host: h }\ncommand: serve {url}', ['serve', 'h:1']],
    [
      'doubled braces',
      `defaults: { n: 2 }\ncommand: serve '{{"a":{"n":{n}}}}' '{{n_x}}'`,
      ['serve', '{"a":{"n":2}}', '{n_x}'],
    ],
    ['a folded command', 'defaults: { n: 2 }\ncommand: >\n  serve\n  --n {n}', ['serve', '--n', '2']],
    ['booleans', 'defaults: { n: true }\ncommand: serve {n}', ['serve', 'true']],
  ])('%s', (_, text, expected) => {
    expect(filled(HEAD + text)).toEqual(expected);
  });

  test('without a command, one is made of the defaults', () => {
    const defaults = [
      'port: 8000',
      'tensor_parallel: 2',
      'trust_remote_code: true',
      'enforce_eager: false',
      'enable_prefix_caching: false',
      `speculative_config: '{"a": 1}'`,
    ];
    expect(filled(`${HEAD}runtime: vllm-ray\ndefaults:\n  ${defaults.join('\n  ')}\n`)).toEqual([
      'vllm',
      'serve',
      'org/model',
      '--port',
      '8000',
      '--tensor-parallel-size',
      '2',
      '--trust-remote-code',
      '--no-enable-prefix-caching',
      '--speculative-config',
      '{"a": 1}',
    ]);
  });

  test.each([
    ['runtime: vllm\ndefaults: { distributed_executor_backend: ray }\ncommand: vllm serve {model}', 'vllm-ray'],
    ['runtime: vllm\ncommand: vllm serve {model} --distributed-executor-backend ray', 'vllm-ray'],
    ['command: vllm serve {model} --distributed_executor_backend=ray', 'vllm-ray'],
    [
      'runtime: vllm\ndefaults: { distributed_executor_backend: ray }\ncommand: vllm serve {model} --distributed-executor-backend {distributed_executor_backend}',
      'vllm-ray',
    ],
    [
      'runtime: vllm\ndefaults: { distributed_executor_backend: ray }\ncommand: vllm serve --distributed-executor-backend mp',
      'vllm-distributed',
    ],
    ['runtime: vllm\ncommand: vllm serve {model}', 'vllm-distributed'],
    ['runtime: vllm-distributed\ncommand: vllm serve {model}', 'vllm-distributed'],
    ['runtime: eugr-vllm\ncommand: vllm serve {model}', 'vllm-distributed'],
    ['runtime: sglang\ncommand: sglang serve', 'sglang'],
    ['command: sglang serve', 'sglang'],
    ['command: python3 -m sglang.launch_server', 'sglang'],
    ['command: llama-server -m x', 'llama-cpp'],
    ['command: trtllm-serve x', 'trtllm'],
    ['command: atlas serve', 'atlas'],
  ])('runtime of %j', (text, runtime) => {
    expect(recipe(HEAD + text).runtime).toBe(runtime);
  });

  test.each([
    ['solo_only: true', 1, 1],
    ['cluster_only: true', 2, undefined],
    ['mode: cluster', 2, undefined],
    ['mode: solo', 1, 1],
    ['mode: auto\nmax_nodes: null', 1, undefined],
  ])('nodes of %j', (text, minNodes, maxNodes) => {
    const { minNodes: min, maxNodes: max } = recipe(`${HEAD}${text}\ncommand: vllm serve {model}`);
    expect([min, max]).toEqual([minNodes, maxNodes]);
  });
});

describe('eugr v1', () => {
  const V1 = 'recipe_version: "1"\nname: A model\ncontainer: vllm-node\n';

  test('doubled braces, cluster_only, the model in the command', () => {
    const one = `${V1}cluster_only: true
build_args: [--tf5]
defaults: { num_speculative_tokens: 6, max_model_len: auto, tensor_parallel: 2 }
command: |
  vllm serve org/model \\
      --limit-mm-per-prompt '{{"image":4}}' \\
      --speculative-config '{{"method":"x","num":{num_speculative_tokens},"b":"c"}}'\\
      --max-model-len {max_model_len} -tp {tensor_parallel} --distributed-executor-backend ray
`;
    expect(recipe(one)).toMatchObject({ model: 'org/model', minNodes: 2, runtime: 'vllm-ray', unused: ['build_args'] });
    expect(filled(one)).toEqual([
      'vllm',
      'serve',
      'org/model',
      '--limit-mm-per-prompt',
      '{"image":4}',
      '--speculative-config',
      '{"method":"x","num":6,"b":"c"}',
      '--max-model-len',
      'auto',
      '-tp',
      '2',
      '--distributed-executor-backend',
      'ray',
    ]);
  });

  test.each([
    ['command: vllm serve x --port {prot}\ndefaults: { port: 8000 }', 'Nothing fills {prot}. Did you mean {port}?'],
    [`command: |\n  vllm serve x --c '{"a": 1}'`, '"{\\"a\\": 1}" is no placeholder'],
    [`defaults: { a: 1 }\ncommand: vllm serve x --c '{{a}}'`, 'The text {a} is also the name of a default'],
    [`defaults: { a: "{b}", b: 1 }\ncommand: vllm serve x {a}`, 'a holds {b}, which recipe_version 1 does not fill'],
    ['defaults: {}', 'command is missing, and recipe_version 1 needs one'],
    ['command: vllm serve {model}', 'model is missing'],
    ['command: ./run --all', 'model is missing'],
  ])('%j', (text, wrong) => {
    expect(problems(V1 + text).join('\n')).toContain(wrong);
  });
});

describe('problems', () => {
  const COMMAND = 'command: vllm serve {model}\n';

  test.each([
    [
      'the nearest key',
      `${HEAD}${COMMAND}min_node: 2`,
      ['recipes/x.yaml:4: There is no key "min_node". Did you mean min_nodes?'],
    ],
    [
      'the line inside the command',
      `${HEAD}defaults:\n  port: 8000\ncommand: |\n  vllm serve {model} \\\n    --port {prot}\n`,
      ['recipes/x.yaml:7: Nothing fills {prot}. Did you mean {port}?'],
    ],
    [
      'a placeholder that is like nothing',
      `${HEAD}defaults: { port: 8000 }\ncommand: vllm serve {quantization}`,
      ['recipes/x.yaml:4: Nothing fills {quantization}. Add quantization to the defaults.'],
    ],
    [
      'a variable',
      `${HEAD}command: |\n  vllm serve {model} \\\n  --api-key $KEY\n`,
      [
        'recipes/x.yaml:5: The command holds $ outside quotes, which means a variable or a command to a shell; sparkops runs it without one. Write the value out, or put it in single quotes if $ belongs to it.',
      ],
    ],
    [
      'a leading variable',
      `${HEAD}command: A=1 vllm serve x`,
      ['recipes/x.yaml:3: The command begins with a variable. Move A to env.'],
    ],
    [
      'an empty command',
      `${HEAD}command: ""`,
      ['recipes/x.yaml:3: The command is empty. Write it out, such as vllm serve {model}.'],
    ],
    [
      'no model and no image',
      COMMAND,
      [
        'recipes/x.yaml:1: model is missing. Add it, such as model: Qwen/Qwen3.5-122B-A10B-FP8.',
        'recipes/x.yaml:1: container is missing. Name the image, such as container: hellohal2064/vllm-qwen3.5-gb10.',
      ],
    ],
    [
      'an option as a model',
      `model: --help\ncontainer: i\n${COMMAND}`,
      ['recipes/x.yaml:1: model is "--help". It must be a model such as Qwen/Qwen3.5-122B-A10B-FP8.'],
    ],
    [
      'an unknown runtime',
      `${HEAD}${COMMAND}runtime: vlm`,
      ['recipes/x.yaml:4: There is no runtime "vlm". Did you mean vllm?'],
    ],
    [
      'a runtime like nothing',
      `${HEAD}${COMMAND}runtime: tabby`,
      [
        'recipes/x.yaml:4: There is no runtime "tabby". Known runtimes: vllm-ray, vllm-distributed, sglang, llama-cpp, trtllm, atlas and vllm.',
      ],
    ],
    [
      'too few nodes',
      `${HEAD}${COMMAND}min_nodes: 3\nmax_nodes: 2`,
      ['recipes/x.yaml:5: The recipe takes at least 3 and at most 2 nodes. Mend one of the two.'],
    ],
    [
      'a later version',
      `${HEAD}${COMMAND}recipe_version: "3"`,
      ['recipes/x.yaml:4: recipe_version is "3". It must be "2" (sparkrun) or "1" (eugr).'],
    ],
    [
      'no command for sglang',
      `${HEAD}runtime: sglang`,
      ["recipes/x.yaml:1: command is missing, and sparkops can't make one for sglang. Write it out."],
    ],
    [
      'no command, and a default that has no flag',
      `${HEAD}runtime: vllm\ndefaults:\n  moe_runner_backend: triton`,
      [
        `recipes/x.yaml:5: There is no command, and one can't be made from the defaults: no flag of vLLM is known for moe_runner_backend: "triton". Write the command out.`,
      ],
    ],
    [
      'JSON outside quotes',
      `${HEAD}defaults:\n  c: '{"a": 1}'\ncommand: vllm serve {c}`,
      [
        "recipes/x.yaml:5: {c} stands outside quotes, and its value has blanks: a shell would split it. Put it in single quotes: '{c}'.",
      ],
    ],
    [
      'a circle',
      `${HEAD}defaults:\n  a: "{b}"\n  b: "{a}"\ncommand: serve {a}`,
      ['recipes/x.yaml:4: a holds itself. Write the value out.'],
    ],
    [
      'a list',
      `${HEAD}${COMMAND}defaults:\n  a: [1]`,
      [`recipes/x.yaml:5: a is a list. Write it as JSON text: a: '[1]'.`],
    ],
    [
      'no value',
      `${HEAD}${COMMAND}defaults:\n  a:`,
      ['recipes/x.yaml:5: a has no value. Give it one, or remove the key.'],
    ],
    [
      'defaults of text',
      `${HEAD}${COMMAND}defaults: x`,
      ['recipes/x.yaml:4: defaults is "x". Write one key: value per line below defaults.'],
    ],
    [
      'a number outside its limits',
      `${HEAD}${COMMAND}defaults: { gpu_memory_utilization: 80 }`,
      ['recipes/x.yaml:4: gpu_memory_utilization is 80. It must be 0.01 to 1.'],
    ],
    [
      'a name with a dash',
      `${HEAD}${COMMAND}defaults: { a-b: 1 }`,
      [`recipes/x.yaml:4: "a-b" can't be a placeholder. Use letters, digits and _, and begin with a letter.`],
    ],
    [
      'a mod that is not here',
      `${HEAD}${COMMAND}mods:\n  - mods/fix-x\n  - '@official/mods/fix-y'`,
      [
        'recipes/x.yaml:5: The mod fix-x is not here (and mods are not built yet). Put its folder, with its run.sh, at recipes/mods/fix-x; until then use an image that has it built in.',
        'recipes/x.yaml:6: The mod fix-y is not here (and mods are not built yet). Put its folder, with its run.sh, at recipes/mods/fix-y; until then use an image that has it built in.',
      ],
    ],
    [
      'pre_exec',
      `${HEAD}${COMMAND}pre_exec: [pip install x]`,
      [
        'recipes/x.yaml:4: pre_exec is not built yet: its commands would have to run in every container before the model is served. Build them into the image.',
      ],
    ],
    [
      'post_exec',
      `${HEAD}${COMMAND}post_exec: [x]`,
      [
        'recipes/x.yaml:4: post_exec is refused: commands after the start are not covered by the plan that people approve. Remove it, and run them yourself once the model serves.',
      ],
    ],
    [
      'post_commands',
      `${HEAD}${COMMAND}post_commands: [x]`,
      [
        "recipes/x.yaml:4: post_commands is refused: it runs shell commands on the bot's own machine. Remove it, and run them yourself once the model serves.",
      ],
    ],
    [
      'a secret in the command',
      `${HEAD}command: vllm serve x --api-key secret:KEY`,
      [
        'recipes/x.yaml:3: A secret in the command can be seen by everyone on the node. Name it in env as secret:NAME, such as VLLM_API_KEY: secret:VLLM_API_KEY.',
      ],
    ],
  ])('%s', (_, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  test('empty lists ask for nothing', () => {
    expect(problems(`${HEAD}${COMMAND}mods: []\npre_exec: []\npost_commands: []\npost_exec:\n`)).toEqual([]);
  });

  test('mods that are here are still not built', () => {
    expect(problems(`${HEAD}${COMMAND}mods: [mods/fix-x]`, ['fix-x'])).toEqual([
      'recipes/x.yaml:4: mods are not built yet: their run.sh would have to run in every container. Use an image that has them built in.',
    ]);
  });

  test('all at once', () => {
    expect(
      problems(`${HEAD}command: vllm serve {modl}\nenv: { VLLM_HOST_IP: x }\nruntime: sglan\nmods: [a]`),
    ).toHaveLength(4);
  });
});

describe('env', () => {
  const withEnv = (line: string) => problems(`${HEAD}command: vllm serve {model}\nenv:\n  ${line}\n`).join('\n');

  test.each(PER_NODE_VARIABLES)('%s belongs to the node', (name) => {
    expect(withEnv(`${name}: "x"`)).toContain(`recipes/x.yaml:5: ${name} belongs to the node`);
  });

  test.each([
    ['A: $HOME', 'A holds $HOME: nothing replaces a $VARIABLE'],
    ['A: "x${HOME}"', 'A holds x${HOME}'],
    ['A: $(id)', 'A holds $(id)'],
    ['A: true', 'A is true without quotes'],
    ['A:', 'A has no value'],
    ['A: [1]', 'A is a list'],
    ['A: "x\\ny"', 'A has a line end'],
    ['A: "x\\0y"', 'A has a line end'],
    ['A-B: x', '"A-B" is no name of a variable'],
    ['A: "secret:"', 'A names the secret ""'],
    ['A: secret:a b', 'A names the secret "a b"'],
    ['A: secret:REDIS_URL', 'A names REDIS_URL, which belongs to the bot itself'],
    ['A: secret:SLACK_BOT_TOKEN', 'A names SLACK_BOT_TOKEN, which belongs to the bot itself'],
    [`A: hf_${'a'.repeat(34)}`, 'A holds what looks like a token. Write A: secret:A'],
  ])('%j', (line, wrong) => {
    expect(withEnv(line)).toContain(wrong);
  });

  test.each(['A: "5$"', 'A: ""', 'A: \'{"a": 1}\'', 'A: 1'])('%j is fine', (line) => {
    expect(withEnv(line)).toBe('');
  });
});
