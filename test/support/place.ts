import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Deployment } from '../../src/jobs/deployment.ts';
import type { Message } from '../../src/local/slack/message.ts';
import { OPERATOR, OPS_CHANNEL } from '../../src/local/slack/people.ts';
import type { FaultName } from '../../src/local/sparks/faults.ts';
import { startWorkplace, type Workplace } from '../../src/local/workplace.ts';
import { testRedis } from './redis.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** Short lives, so that a takeover is a matter of seconds. */
export const SHORT_LIVES = {
  lease: '3s',
  job_lock: '3s',
  stall_check: '1s',
  reconcile: '1s',
  load: '45s',
  load_silence: '10s',
};

export interface PlaceOptions {
  faults?: readonly FaultName[];
  timeouts?: Readonly<Record<string, string>>;
  loadSeconds?: number;
}

/** The local parts in this process, the product as child processes. */
export interface Place extends Workplace {
  /** Starts a process of the product and waits until it is ready. */
  product: () => Promise<Product>;
  stop: () => Promise<void>;
}

export interface Product {
  /** Its log, one parsed line each. */
  log: readonly LogLine[];
  kill9: () => Promise<void>;
  /** SIGTERM; resolves with the milliseconds until it was gone, and its exit code. */
  terminate: () => Promise<{ ms: number; code: number | null }>;
}

export type LogLine = Record<string, unknown> & { level: string; msg: string };

export async function startPlace({
  faults = [],
  timeouts = SHORT_LIVES,
  loadSeconds = 1,
}: PlaceOptions = {}): Promise<Place> {
  const redis = await testRedis();
  const workplace = await startWorkplace({
    faults,
    timeouts,
    loadSeconds,
    redisUrl: redis.url,
    log: () => undefined,
  });
  const products: RunningProduct[] = [];

  return {
    ...workplace,
    async product() {
      const product = await startProduct(workplace);
      products.push(product);
      return product;
    },
    async stop() {
      for (const product of products) await product.kill9();
      await workplace.stop();
      await redis.stop();
    },
  };
}

interface RunningProduct extends Product {
  child: ChildProcess;
}

async function startProduct({ slack, redisUrl, configFolder }: Workplace): Promise<RunningProduct> {
  const child = spawn(process.execPath, [CLI, 'start', '--config', configFolder], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      REDIS_URL: redisUrl,
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_APP_TOKEN: slack.appToken,
      SLACK_API_URL: slack.apiUrl,
      LOG_LEVEL: 'debug',
    },
  });
  const exited = once(child, 'exit');
  const log: LogLine[] = [];
  const ready = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (text) => {
      const line = parse(text);
      log.push(line);
      if (line.msg === 'sparkops is ready') resolve();
    });
    void exited.then(() => reject(new Error(`The product ended before it was ready:\n${tail(log)}`)));
    setTimeout(() => reject(new Error(`The product was not ready after 20 s:\n${tail(log)}`)), 20_000).unref();
  });
  await ready;

  return {
    child,
    log,
    async kill9() {
      child.kill('SIGKILL');
      await exited;
    },
    async terminate() {
      const asked = performance.now();
      child.kill('SIGTERM');
      await exited;
      return { ms: performance.now() - asked, code: child.exitCode };
    },
  };
}

function parse(text: string): LogLine {
  try {
    return JSON.parse(text);
  } catch {
    return { level: 'raw', msg: text };
  }
}

function tail(log: readonly LogLine[]): string {
  return log
    .slice(-20)
    .map((line) => JSON.stringify(line))
    .join('\n');
}

/** What the Operator types. */
export async function say(place: Place, text: string): Promise<void> {
  await place.slack.say(OPERATOR, OPS_CHANNEL, text);
}

/** The message in the channel that a deployment's card is. */
export function cards(place: Place): Message[] {
  return place.slack
    .messages(OPS_CHANNEL)
    .filter((message) => message.metadata?.event_type === 'sparkops' && message.thread_ts !== message.ts)
    .filter((message) => message.thread_ts === undefined || message.thread_ts === message.ts);
}

/** Everything that stands in the thread of the only card, as text. */
export function threadText(place: Place): string {
  const [card] = cards(place);
  if (!card) return '';
  return place.slack.thread(OPS_CHANNEL, card.ts).map(place.slack.textOf).join('\n');
}

export type { Deployment };
