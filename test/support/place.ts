import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type Deployment, isEnded } from '../../src/jobs/deployment.ts';
import { createJournal } from '../../src/jobs/journal.ts';
import { openStore, type Store } from '../../src/jobs/store.ts';
import type { Message } from '../../src/local/slack/message.ts';
import { APPROVER, OPERATOR, OPS_CHANNEL } from '../../src/local/slack/people.ts';
import type { FaultName } from '../../src/local/sparks/faults.ts';
import type { Role } from '../../src/settings.ts';
import { startWorkplace, type Workplace } from '../../src/local/workplace.ts';
import { findSecrets, plantInRecipes, secretsOf, type Source, WORKER_SECRETS } from './planted-secrets.ts';
import { testRedis, type TestRedis } from './redis.ts';
import { nodeSources, slackSources } from './search-place.ts';
import { storeSources } from './search-store.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** Short lives, so that a takeover is a matter of seconds. */
export const SHORT_LIVES = {
  lease: '3s',
  job_lock: '3s',
  stall_check: '1s',
  // Each round starts programs on the pretend machines, which share this computer with the tests.
  reconcile: '3s',
  approval_look: '1s',
  load: '45s',
  load_silence: '10s',
};

export interface PlaceOptions {
  faults?: readonly FaultName[];
  timeouts?: Readonly<Record<string, string>>;
  loadSeconds?: number;
}

/** What the product needs around it: Slack, Redis and a configuration that names machines, pretend or not. */
type Around = Omit<Workplace, 'sparks'> & Partial<Pick<Workplace, 'sparks'>>;

/** The local parts in this process, the product as child processes. */
export type Place<A extends Around = Workplace> = A & PlaceParts;

interface PlaceParts {
  /** Starts a process of the product, by default bot and worker in one, and waits until it is ready. */
  product: (options?: ProductOptions) => Promise<Product>;
  redis: TestRedis;
  /** The store as a person with redis-cli sees it. */
  store: Store;
  record: (number: number) => Promise<Deployment | undefined>;
  /** Where planted secrets stand that nobody may find: rejects when they never travelled. Ends all products. */
  leaks: () => Promise<readonly string[]>;
  /** The record once it has ended and all of it stands in Slack. */
  ended: (number: number, limitMs?: number) => Promise<Deployment>;
  /** Ends everything. Rejects when a planted secret stands where it must not. */
  stop: () => Promise<void>;
}

interface ProductOptions {
  role?: Role;
  /** Slack calls a URL of the bot; `slackUrl` is then known. */
  http?: boolean;
  /** Instead of the place's. */
  configFolder?: string;
  env?: Readonly<Record<string, string>>;
  /** A command that runs the words after it, in its own place: where the product runs. */
  through?: readonly string[];
}

interface Product {
  /** Its log, one parsed line each. */
  log: readonly LogLine[];
  pid: number;
  /** Where it takes Slack's requests, in HTTP mode. */
  slackUrl: string;
  /** Where /healthz and /metrics answer. */
  operatorsUrl: string;
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
    keepInput: true,
    log: () => undefined,
  });
  await plantInRecipes(workplace.configFolder);
  return placeIn(workplace, { redis, realm: 'demo' });
}

interface PlaceIn {
  redis: TestRedis;
  realm: string;
  /** What is left on the machines, where they are not pretend ones. */
  left?: () => Promise<readonly Source[]>;
}

/** Takes over the end of all that it is given. */
export function placeIn<A extends Around>(around: A, { redis, realm, left }: PlaceIn): Place<A> {
  const products: RunningProduct[] = [];
  const store = openStore(realm, connect(redis.url));
  const journal = createJournal(store, () => new Date());
  const record = async (number: number) => (await journal.findByNumber(number))?.record;

  async function leaks(): Promise<readonly string[]> {
    for (const product of products) await product.kill9();
    const secrets = await secretsOf(around.slack, around.configFolder);
    const logs = products.map(({ log }) => ({ where: 'the log of a product', text: JSON.stringify(log) }));
    const nodes = around.sparks ? await nodeSources(around.sparks) : ((await left?.()) ?? []);
    return findSecrets(secrets, [...logs, ...slackSources(around.slack), ...(await storeSources(redis)), ...nodes]);
  }

  return {
    ...around,
    redis,
    store,
    record,
    leaks,
    ended: (number, limitMs = 60_000) =>
      eventually(`#${number} has ended and was told`, limitMs, async () => {
        const found = await record(number);
        if (!found || !isEnded(found.state)) return undefined;
        return (await store.redis.smembers(store.keys.unpresented('slack'))).length === 0 ? found : undefined;
      }),
    async product(options = {}) {
      const product = await startProduct(around, options);
      products.push(product);
      return product;
    },
    async stop() {
      const found = await leaks().catch((error: Error) => [error.message]);
      store.redis.disconnect();
      await around.stop();
      await redis.stop();
      if (found.length > 0) throw new Error(`Secrets stand where they must not:\n${found.join('\n')}`);
    },
  };
}

interface RunningProduct extends Product {
  child: ChildProcess;
}

async function startProduct(around: Around, options: ProductOptions): Promise<RunningProduct> {
  const { role, configFolder = around.configFolder, through = [] } = options;
  const as = role === undefined ? [] : ['--role', role];
  const [program, ...words] = [...through, process.execPath, CLI, 'start', ...as, '--config', configFolder];
  const child = spawn(program, words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      REDIS_URL: around.redisUrl,
      SPARKOPS_METRICS_PORT: '0',
      LOG_LEVEL: 'debug',
      // A worker is told nothing of Slack, and a bot no secret of a recipe.
      ...(role === 'worker' ? {} : slackEnvironment(around.slack, options)),
      ...(role === 'bot' ? {} : WORKER_SECRETS),
      ...options.env,
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
    setTimeout(() => reject(new Error(`The product was not ready after 60 s:\n${tail(log)}`)), 60_000).unref();
  });
  await ready;

  return {
    child,
    pid: child.pid ?? 0,
    log,
    slackUrl: `http://127.0.0.1:${loggedPort(log, "Slack's requests")}/slack/events`,
    operatorsUrl: `http://127.0.0.1:${loggedPort(log, '/healthz')}`,
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

function slackEnvironment({ botToken, appToken, signingSecret, apiUrl }: Workplace['slack'], { http }: ProductOptions) {
  const way = http ? { SLACK_SIGNING_SECRET: signingSecret, SPARKOPS_HTTP_PORT: '0' } : { SLACK_APP_TOKEN: appToken };
  return { SLACK_BOT_TOKEN: botToken, SLACK_API_URL: apiUrl, ...way };
}

/** The port in the line that begins so. */
function loggedPort(log: readonly LogLine[], beginning: string): string {
  const line = log.find(({ msg }) => msg.startsWith(beginning));
  return typeof line?.['port'] === 'number' ? String(line['port']) : '';
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

/** Tests take Redis away: it connects again by itself. */
function connect(url: string): Redis {
  const client = new Redis(url);
  client.on('error', () => undefined);
  return client;
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

type InSlack = Pick<Around, 'slack'>;

/** What the Operator types. */
export async function say(place: InSlack, text: string, person = OPERATOR): Promise<void> {
  await place.slack.say(person, OPS_CHANNEL, text);
}

/** What interrupts a model that serves waits for somebody else: the Approver agrees. */
export async function approve(place: InSlack & Pick<PlaceParts, 'record'>, number: number): Promise<void> {
  await eventually(`#${number} waits for approval`, 30_000, async () => {
    return (await place.record(number))?.state === 'waiting-approval';
  });
  await say(place, `/spark approve ${number}`, APPROVER);
}

/** The cards in the channel, oldest first. */
export function cards(place: InSlack): Message[] {
  return ours(place).filter((message) => !isRequest(message));
}

/** The requests for approval in the channel, oldest first. */
export function requests(place: InSlack): Message[] {
  return ours(place).filter(isRequest);
}

function ours(place: InSlack): Message[] {
  return place.slack
    .messages(OPS_CHANNEL)
    .filter(({ metadata, subtype }) => metadata?.event_type === 'sparkops' && subtype === undefined);
}

/** What the presenter marks with a number that no event has. */
function isRequest({ metadata }: Message): boolean {
  const payload = metadata?.event_payload;
  return typeof payload === 'object' && payload !== null && Number(payload['seq']) < 0;
}

export function cardText(place: InSlack): string {
  return cards(place).map(place.slack.textOf).join('\n');
}

/** Everything below the cards, as text. */
export function threadText(place: InSlack): string {
  return cards(place)
    .flatMap((card) => place.slack.thread(OPS_CHANNEL, card.ts).slice(1))
    .map(place.slack.textOf)
    .join('\n');
}

/** What only the Operator saw, newest last. */
export function answers(place: InSlack, person = OPERATOR): string[] {
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

/** Commands that a node has refused, oldest first: each came from a process that no longer acts for its deployment. */
export function refusals(place: Place, node: 'spark1' | 'spark2'): string[] {
  const state = place.sparks.clusterFile().nodes.find(({ name }) => name === node)?.paths?.state ?? '';
  const file = join(state, 'refused.log');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}
