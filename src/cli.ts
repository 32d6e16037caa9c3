#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { demo } from './cli/demo.ts';
import { planCommand } from './cli/plan.ts';
import { readSettings } from './cli/read-settings.ts';
import { start } from './cli/start.ts';
import { validate } from './cli/validate.ts';
import { explain, OperatorError } from './errors.ts';

const USAGE = `sparkops: a Slack bot that deploys LLM serving on NVIDIA DGX Spark clusters

  sparkops demo [--say "/spark ..."] [--json] [--fault NAME ...] [--faults]
      the real bot on a local Slack and two pretend Sparks; with --say one command, printed as it happens
  sparkops start [--role bot|worker] [--port N] [--metrics-port N] [--config DIR]
      the bot and its worker, or one of them, against the real Slack, Redis and clusters; any number of each may run.
      --port: where Slack's requests are taken in HTTP mode; --metrics-port: where /healthz and /metrics answer
  sparkops validate [--config DIR]
      every problem of the configuration at once, without touching a node
  sparkops plan RECIPE [--on CLUSTER] [--json] [--config DIR] [key=value ...]
      what would run on which node, and the limits

The configuration folder is ./config unless --config or SPARKOPS_CONFIG says otherwise.`;

const write = (text: string): void => void process.stdout.write(`${text}\n`);
// A reader that has gone (`| head`) must not keep the rest from being cleaned up.
process.stdout.on('error', () => undefined);

async function main(argv: readonly string[]): Promise<number> {
  const [subcommand, ...rest] = argv;
  const { values, positionals } = parse(rest);
  const configFolder = values.config ?? process.env['SPARKOPS_CONFIG'] ?? 'config';

  switch (subcommand) {
    case 'demo':
      return demo({
        say: values.say,
        json: values.json ?? false,
        faults: values.fault ?? [],
        listFaults: values.faults ?? false,
        redisUrl: process.env['REDIS_URL'],
        logLevel: process.env['LOG_LEVEL'] ?? (values.say === undefined ? 'info' : 'warn'),
        write,
      });
    case 'start':
      return start(
        await readSettings(process.env, {
          configFolder,
          role: values.role,
          httpPort: values.port,
          metricsPort: values['metrics-port'],
        }),
        process.env['LOG_LEVEL'] ?? 'info',
      );
    case 'validate':
      return validate(configFolder, write);
    case 'plan':
      return planCommand({ configFolder, words: positionals, cluster: values.on, json: values.json ?? false, write });
    case undefined:
    case 'help':
    case '--help':
      write(USAGE);
      return 0;
    default:
      throw new OperatorError('usage', `sparkops has no subcommand "${subcommand}"`, { hint: USAGE });
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        config: { type: 'string' },
        role: { type: 'string' },
        port: { type: 'string' },
        'metrics-port': { type: 'string' },
        on: { type: 'string' },
        json: { type: 'boolean' },
        say: { type: 'string' },
        fault: { type: 'string', multiple: true },
        faults: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new OperatorError('usage', (error as Error).message, { hint: USAGE, cause: error });
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const { text, hint, lines, ref } = explain(error);
  process.stderr.write([text, ...lines, hint, ...(ref ? [String((error as Error).stack)] : [])].join('\n') + '\n');
  process.exitCode = 2;
}
