import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type Deployment, isEnded } from '../../src/jobs/deployment.ts';
import { createJournal } from '../../src/jobs/journal.ts';
import { openStore, type Store } from '../../src/jobs/store.ts';
import type { Message } from '../../src/local/slack/message.ts';
import { OPERATOR, OPS_CHANNEL } from '../../src/local/slack/people.ts';
import type { FaultName } from '../../src/local/sparks/faults.ts';
import { startWorkplace, type Workplace } from '../../src/local/workplace.ts';
import { testRedis, type TestRedis } from './redis.ts';

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
  redis: TestRedis;
  /** The store as a person with redis-cli sees it. */
  store: Store;
  record: (number: number) => Promise<Deployment | undefined>;
  /** The record once it has ended and all of it stands in Slack. */
  ended: (number: number, limitMs?: number) => Promise<Deployment>;
  stop: () => Promise<void>;
}

interface Product {
  /** Its log, one parsed line each. */
  log: readonly LogLine[];
  pid: number;
  kill9: () => Promise<void>;
  /** SIGTERM; resolves with the milliseconds until it was gone, and its exit code. */
  terminate: () => Promise<{ ms: number; code: number | null }>;
}

type LogLine = Record<string, unknown> & { level: string; msg: string };

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
  const store = openStore('demo', new Redis(redis.url));
  const journal = createJournal(store, () => new Date());
  const record = async (number: number) => (await journal.findByNumber(number))?.record;

  return {
    ...workplace,
    redis,
    store,
    record,
    ended: (number, limitMs = 60_000) =>
      eventually(`#${number} has ended and was told`, limitMs, async () => {
        const found = await record(number);
        if (!found || !isEnded(found.state)) return undefined;
        return (await store.redis.smembers(store.keys.unpresented('slack'))).length === 0 ? found : undefined;
      }),
    async product() {
      const product = await startProduct(workplace);
      products.push(product);
      return product;
    },
    async stop() {
      for (const product of products) await product.kill9();
      store.redis.disconnect();
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
    pid: child.pid ?? 0,
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

/** Asks every 25 ms until there is an answer. */
export async function eventually<T>(what: string, limitMs: number, ask: () => T | Promise<T>): Promise<NonNullable<T>> {
  const end = performance.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== null && answer !== false) return answer;
    if (performance.now() > end) throw new Error(`Not within ${limitMs} ms: ${what}`);
    await delay(25);
  }
}

/** What the Operator types. */
export async function say(place: Place, text: string, person = OPERATOR): Promise<void> {
  await place.slack.say(person, OPS_CHANNEL, text);
}

/** The cards in the channel, oldest first. */
export function cards(place: Place): Message[] {
  return place.slack
    .messages(OPS_CHANNEL)
    .filter(({ metadata, subtype }) => metadata?.event_type === 'sparkops' && subtype === undefined);
}

export function cardText(place: Place): string {
  return cards(place).map(place.slack.textOf).join('\n');
}

/** Everything below the cards, as text. */
export function threadText(place: Place): string {
  return cards(place)
    .flatMap((card) => place.slack.thread(OPS_CHANNEL, card.ts).slice(1))
    .map(place.slack.textOf)
    .join('\n');
}

/** What only the Operator saw, newest last. */
export function answers(place: Place, person = OPERATOR): string[] {
  return place.slack.ephemerals(person).map(place.slack.textOf);
}

/** Names of the containers that run, by node. */
export function running(place: Place): Record<'spark1' | 'spark2', string[]> {
  const on = (node: 'spark1' | 'spark2') =>
    place.sparks
      .containers(node)
      .filter(({ status }) => status === 'running')
      .map(({ name }) => name);
  return { spark1: on('spark1'), spark2: on('spark2') };
}
