import { noteStart } from './containers.ts';
import { parseFlags } from './flags.ts';
import { readMachine } from './machine.ts';
import { endWithOwner } from './owner.ts';
import { claimPort, listeners } from './ports.ts';
import { openApi } from './vllm-api.ts';
import { api, engine, fail, say } from './vllm-lines.ts';
import { loadWeights } from './vllm-load.ts';
import { hostAddress, placeOnRay, watchNodes } from './vllm-ray.ts';

const VERSION = '0.17.0';

const [folder = '', command = '', ...words] = process.argv.slice(2);
const machine = readMachine(folder);
endWithOwner(machine);

if (command === '--version') say(VERSION);
else if (command === 'serve') await serve();
else fail(`vllm: error: argument subparser: invalid choice: '${command}'`, 2);

async function serve(): Promise<void> {
  noteStart(machine.folder, 'engine');
  const flags = parseFlags(words);
  const model = flags.get('') ?? flags.get('model') ?? 'Qwen/Qwen3-0.6B';
  const port = Number(flags.get('port') ?? 8000);
  const worldSize = number('tensor-parallel-size', 'tp') * number('pipeline-parallel-size', 'pp');
  greet(model, port);
  // vLLM takes its port before anything else.
  if (listeners(machine.folder).some((one) => one.port === port)) portTaken();
  if (worldSize > machine.containerGpus && flags.get('distributed-executor-backend') !== 'ray') tooFewGpus(worldSize);
  api('model.py:531', 'Resolved architecture: Qwen3_5MoeForConditionalGeneration');
  api('model.py:1554', `Using max model len ${flags.get('max-model-len') ?? '262144'}`);
  const config = `model='${model}', speculative_config=None, tensor_parallel_size=${worldSize}, pipeline_parallel_size=1`;
  engine('core.py:102', `Initializing a V1 LLM engine (v${VERSION}) with config: ${config}`);
  const addresses = worldSize > 1 ? await placeOnRay(machine, worldSize) : [hostAddress(machine)];
  if (worldSize > 1) watchNodes(machine, addresses);
  await loadWeights({ machine, model, addresses });

  api('api_server.py:577', "Supported tasks: ['generate']");
  api('api_server.py:581', `Starting vLLM API server 0 on http://0.0.0.0:${port}`);
  const real = await openApi(flags.get('served-model-name') ?? model, machine.folder);
  if (!claimPort(machine, { address: '0.0.0.0', port, real, pid: process.pid, kind: 'engine' })) portTaken();
  for (const route of ['/health, Methods: GET', '/v1/models, Methods: GET', '/v1/chat/completions, Methods: POST']) {
    api('launcher.py:46', `Route: ${route}`);
  }
  for (const text of [
    `Started server process [${process.pid}]`,
    'Waiting for application startup.',
    'Application startup complete.',
  ]) {
    say(`(APIServer pid=${process.pid}) INFO:     ${text}`);
  }

  function number(name: string, short: string): number {
    return Number(flags.get(name) ?? flags.get(short) ?? 1);
  }
}

function greet(model: string, port: number): void {
  for (const line of [
    '       █     █     █▄   ▄█',
    ` ▄▄ ▄█ █     █     █ ▀▄▀ █  version ${VERSION}`,
    `  █▄█▀ █     █     █     █  model   ${model}`,
  ]) {
    api('utils.py:302', line);
  }
  api('utils.py:238', `non-default args: {'model_tag': '${model}', 'host': '0.0.0.0', 'port': ${port}}`);
}

function portTaken(): never {
  return failInApi(['    sock.bind(addr)'], ['OSError: [Errno 98] Address already in use']);
}

function tooFewGpus(worldSize: number): never {
  return failInApi(
    ['    vllm_config = engine_args.create_engine_config(usage_context=usage_context)'],
    [
      'pydantic_core._pydantic_core.ValidationError: 1 validation error for ParallelConfig',
      `  Value error, World size (${worldSize}) is larger than the number of available GPUs (${machine.containerGpus}) in this node. If this is intentional and you are using:`,
      "- ray, set '--distributed-executor-backend ray'.",
      "- multiprocessing, set '--nnodes' appropriately. [type=value_error, input_value=ArgsKwargs((), {'model_co...}), input_type=ArgsKwargs]",
      '    For further information visit https://errors.pydantic.dev/2.12/v/value_error',
    ],
  );
}

function failInApi(where: string[], what: string[]): never {
  const lines = [
    'Traceback (most recent call last):',
    '  File "/usr/local/bin/vllm", line 10, in <module>',
    '    sys.exit(main())',
  ];
  return fail([...lines, ...where, ...what].map((line) => `(APIServer pid=${process.pid}) ${line}`).join('\n'));
}
