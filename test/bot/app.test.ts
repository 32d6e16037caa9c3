import { createServer, type AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startBot, type BotOptions } from '../../src/bot/app.ts';
import { OPERATOR, OPS_CHANNEL, VIEWER } from '../../src/local/slack/people.ts';
import { startLocalSlack } from '../../src/local/slack/start-local-slack.ts';
import { rightsConfig, silent, workplace, type Workplace } from './support/bot.ts';
import { fakeJobs } from './support/fake-jobs.ts';
import { allDone, aRecord, at } from './support/records.ts';

/** What nobody handled in this process. */
let rejections: unknown[] = [];
const onRejection = (reason: unknown) => void rejections.push(reason);
beforeEach(() => {
  rejections = [];
  process.on('unhandledRejection', onRejection);
});
afterEach(() => {
  process.off('unhandledRejection', onRejection);
  if (rejections.length > 0) throw new Error('Rejections that nobody handled', { cause: rejections });
});

async function start(): Promise<Workplace> {
  const place = await workplace();
  onTestFinished(place.stop);
  return place;
}

function options(change: Partial<BotOptions>): BotOptions {
  return {
    jobs: fakeJobs(),
    tokens: { bot: 'xoxb-local-bot', app: 'xapp-local-app' },
    log: silent,
    rights: async () => rightsConfig(),
    ...change,
  };
}

describe('the connection', () => {
  test('two sockets; a command is answered while Slack renews them', async () => {
    const { slack, ask } = await start();
    expect(slack.sockets()).toBe(2);
    for (const reason of ['warning', 'refresh_requested'] as const) {
      slack.disconnect(reason);
      await expect
        .poll(() => ask(VIEWER, '/spark status'), { timeout: 500, interval: 10 })
        .toBe('No cluster is configured.');
    }
    await expect.poll(slack.sockets).toBe(2);
  });

  test('cut sockets come back', async () => {
    const { slack, ask } = await start();
    slack.dropSockets();
    await expect.poll(() => ask(VIEWER, '/spark status')).toBe('No cluster is configured.');
    await expect.poll(slack.sockets, { timeout: 3_000 }).toBe(2);
  });

  test('a Slack that is away for a while', async () => {
    const { slack, ask } = await start();
    slack.fault('apps.connections.open', { status: 503, times: 4 });
    slack.dropSockets();
    await expect.poll(() => ask(VIEWER, '/spark status'), { timeout: 6_000 }).toBe('No cluster is configured.');
    await expect.poll(slack.sockets, { timeout: 6_000 }).toBe(2);
  });

  test('a stop while it reconnects breaks nothing and is quick', async () => {
    const { slack, bot } = await start();
    slack.fault('apps.connections.open', { delayMs: 1_000, times: Infinity });
    slack.dropSockets();
    const before = performance.now();
    await bot.stop();
    expect(performance.now() - before).toBeLessThan(2_500);
    await expect.poll(slack.sockets).toBe(0);
  });

  test('after a stop no socket is open', async () => {
    const { slack, bot } = await start();
    await bot.stop();
    await expect.poll(slack.sockets).toBe(0);
  });

  test('fifty at once are acknowledged at once', async () => {
    const { slack } = await start();
    const before = performance.now();
    const said = await Promise.all(Array.from({ length: 50 }, () => slack.say(VIEWER, OPS_CHANNEL, '/spark status')));
    expect(said.map(({ delivery }) => delivery?.status)).toEqual(Array(50).fill('acked'));
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});

describe('what is wrong at the start is one clear line', () => {
  test('a wrong bot token', async () => {
    const slack = await startLocalSlack();
    onTestFinished(slack.stop);
    const tokens = { bot: 'xoxb-local-wrong', app: slack.appToken };
    await expect(startBot(options({ tokens, slackApiUrl: slack.apiUrl }))).rejects.toMatchObject({
      code: 'config',
      message: 'Slack refuses the bot token (xoxb-...): invalid_auth',
    });
  });

  test('a wrong app token', async () => {
    const slack = await startLocalSlack();
    onTestFinished(slack.stop);
    const tokens = { bot: slack.botToken, app: 'xapp-local-wrong' };
    await expect(startBot(options({ tokens, slackApiUrl: slack.apiUrl }))).rejects.toMatchObject({
      code: 'config',
      message: 'Slack refuses the app token (xapp-...): invalid_auth',
    });
  });

  test('real tokens never go to another host', async () => {
    const tokens = { bot: 'xoxb-123', app: 'xapp-123' };
    for (const slackApiUrl of [
      'http://127.0.0.1:1/api/',
      'https://slack.com.example.org/api/',
      'http://slack.com/api/',
      'nonsense',
    ]) {
      await expect(startBot(options({ tokens, slackApiUrl }))).rejects.toMatchObject({ code: 'config' });
    }
  });

  test('a Slack that can not be reached: it starts, tries on, and shows what happened meanwhile', async () => {
    const port = await freePort();
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const jobs = fakeJobs();
    const bot = await startBot(options({ jobs, log, slackApiUrl: `http://127.0.0.1:${port}/api/` }));
    onTestFinished(bot.stop);
    expect(lines.filter((line) => line.includes('Slack could not be reached; I try again'))).toHaveLength(1);

    jobs.add(aRecord(), { channel: OPS_CHANNEL, user: OPERATOR, team: 'T' });
    jobs.change(
      'abcdefghij',
      { state: 'serving', phases: allDone(), endedAt: at(960) },
      { kind: 'ended', state: 'serving' },
    );
    const slack = await startLocalSlack({ port });
    onTestFinished(slack.stop);
    await slack.until(() => slack.messages(OPS_CHANNEL).length === 2, 10_000);
    await expect.poll(slack.sockets, { timeout: 10_000 }).toBe(2);
  });

  test('a stop before Slack was ever reached', async () => {
    const bot = await startBot(options({ slackApiUrl: `http://127.0.0.1:${await freePort()}/api/` }));
    await expect(bot.stop()).resolves.toBeUndefined();
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
