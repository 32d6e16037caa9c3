#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { audit } from './cli/audit.ts';
import { check } from './cli/check.ts';
import { demo } from './cli/demo.ts';
import { planCommand, type PlanForm } from './cli/plan.ts';
import { DEFAULT_REDIS, readSettings, readSlack } from './cli/read-settings.ts';
import { say } from './cli/say.ts';
import { start } from './cli/start.ts';
import { validate } from './cli/validate.ts';
import { explain, OperatorError } from './errors.ts';
import { createLog } from './log.ts';

const USAGE = `sparkops: a Slack bot that deploys LLM serving on NVIDIA DGX Spark clusters

  sparkops demo [--say "/spark ..."] [--json] [--fault NAME ...] [--faults]
      the real bot on a local Slack and two pretend Sparks; with --say one command, printed as it happens
  sparkops start [--role bot|worker] [--port N] [--metrics-port N] [--config DIR]
      the bot and its worker, or one of them, against the real Slack, Redis and clusters; any number of each may run.
      --port: where Slack's requests are taken in HTTP mode; --metrics-port: where /healthz and /metrics answer
  sparkops check --slack [--json] [--config DIR]
      whether Slack gives the bot what it needs: tokens, scopes, channels, a connection. Posts nothing
  sparkops validate [--config DIR]
      every problem of the configuration at once, without touching a node
  sparkops plan RECIPE [--on CLUSTER] [--json | --script] [--config DIR] [key=value ...]
      what would run on which node, and the limits; --script: the same as a shell script, to run by hand on the head
  sparkops say "TEXT" --as USER [--config DIR]
      runs a command of Slack's without Slack, with that Slack user's rights, and follows a deploy to its end;
      needs Redis and a running worker
  sparkops audit [--json] [--since 7d] [--cluster CLUSTER] [--by USER] [--config DIR]
      who did what, where, and what was decided or came of it, oldest first; needs Redis

The configuration folder is ./config unless --config or SPARKOPS_CONFIG says otherwise.`;

const write = (text: string): void => void process.stdout.write(`${text}\n`);
// A reader that has gone (`| head`) must not keep the rest from being cleaned up.
process.stdout.on('error', () => undefined);

async function main(argv: readonly string[]): Promise<number> {
  const [subcommand, ...rest] = argv;
  const { values, positionals } = parse(rest);
  if (values.help) {
    write(USAGE);
    return 0;
  }
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
    case 'check':
      return check({
        configFolder,
        slack: values.slack ? readSlack(process.env) : undefined,
        json: values.json ?? false,
        write,
      });
    case 'validate':
      return validate(configFolder, (text) => void process.stdout.write(text));
    case 'plan':
      return planCommand({ configFolder, words: positionals, cluster: values.on, form: planForm(values), write });
    case 'say':
      return say({
        text: positionals.length > 1 ? undefined : positionals[0],
        as: values.as,
        configFolder,
        redisUrl: process.env['REDIS_URL'] ?? DEFAULT_REDIS,
        log: createLog(process.env['LOG_LEVEL'] ?? 'warn', process.stderr),
        write,
      });
    case 'audit':
      return audit({
        configFolder,
        redisUrl: process.env['REDIS_URL'] ?? DEFAULT_REDIS,
        json: values.json ?? false,
        since: values.since,
        cluster: values.cluster,
        by: values.by,
        now: new Date(),
        write,
      });
    case undefined:
    case 'help':
    case '--help':
      write(USAGE);
      return 0;
    default:
      throw new OperatorError('usage', `sparkops has no subcommand "${subcommand}"`, { hint: USAGE });
  }
}

function planForm({ json, script }: { json?: boolean | undefined; script?: boolean | undefined }): PlanForm {
  if (json && script) throw new OperatorError('usage', 'plan takes --json or --script, not both', { hint: USAGE });
  return script ? 'script' : json ? 'json' : 'text';
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean' },
        config: { type: 'string' },
        slack: { type: 'boolean' },
        role: { type: 'string' },
        port: { type: 'string' },
        'metrics-port': { type: 'string' },
        on: { type: 'string' },
        json: { type: 'boolean' },
        say: { type: 'string' },
        as: { type: 'string' },
        script: { type: 'boolean' },
        fault: { type: 'string', multiple: true },
        faults: { type: 'boolean' },
        since: { type: 'string' },
        cluster: { type: 'string' },
        by: { type: 'string' },
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
