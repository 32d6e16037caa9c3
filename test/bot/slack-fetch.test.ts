import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startBot } from '../../src/bot/app.ts';
import { checkSlack } from '../../src/bot/check-slack.ts';
import { slackFetch } from '../../src/bot/slack-fetch.ts';
import { OPERATOR, OPS_CHANNEL, TEAM } from '../../src/local/slack/people.ts';
import { startLocalSlack } from '../../src/local/slack/start-local-slack.ts';
import { rightsConfig, silent } from './support/bot.ts';
import { fakeJobs } from './support/fake-jobs.ts';

/** Somebody's server, and what came to it. `to`: it sends everybody there. */
async function stranger(to?: string): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.writeHead(to === undefined ? 200 : 307, to === undefined ? {} : { location: to }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, seen };
}

test.each([
  'http://hooks.slack.com/commands/T1/1/x',
  'https://hooks.slack.com.evil.example/commands/T1/1/x',
  'https://hooks.slack.com@evil.example/x',
  'https://evil.example/hooks.slack.com',
  'http://127.0.0.1:1/commands/T1/1/x',
  'http://169.254.169.254/latest/meta-data',
])('nothing is sent to %s', async (url) => {
  const refused = slackFetch(undefined)(url, { method: 'POST', body: 'x' });
  await expect(refused).rejects.toThrow(`${new URL(url).origin} is not Slack's: nothing was sent there`);
});

test('with a local Slack nothing goes to another port of this machine, nor where it is sent on', async () => {
  const other = await stranger();
  const local = await stranger(other.url);
  await expect(slackFetch(local.url)(other.url, { method: 'POST' })).rejects.toThrow("is not Slack's");
  await expect(slackFetch(local.url)(local.url, { method: 'POST', body: 'x' })).rejects.toThrow('fetch failed');
  expect(local.seen).toEqual(['/hook']);
  expect(other.seen).toEqual([]);
});

test('a command whose response_url is not of Slack is answered another way, and the stranger hears nothing', async () => {
  const slack = await startLocalSlack();
  onTestFinished(slack.stop);
  const { url, seen } = await stranger();
  const { signingSecret } = slack;
  const bot = await startBot({
    jobs: fakeJobs(),
    tokens: { bot: slack.botToken },
    http: { signingSecret, host: '127.0.0.1', port: 0 },
    slackApiUrl: slack.apiUrl,
    log: silent,
    rights: async () => rightsConfig(),
  });
  onTestFinished(bot.stop);
  const body = new URLSearchParams({
    command: '/spark',
    text: 'help',
    team_id: TEAM.id,
    user_id: OPERATOR,
    user_name: 'operator',
    channel_id: OPS_CHANNEL,
    trigger_id: 'one',
    response_url: url,
  }).toString();
  const at = String(Math.floor(Date.now() / 1_000));
  const signature = `v0=${createHmac('sha256', signingSecret).update(`v0:${at}:${body}`).digest('hex')}`;
  const answer = await fetch(`http://127.0.0.1:${bot.health().port}/slack/events`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-signature': signature,
      'x-slack-request-timestamp': at,
    },
    body,
  });
  expect(answer.status).toBe(200);
  expect(await slack.until(() => slack.ephemerals(OPERATOR)[0]?.text)).toContain('deploy');
  expect(seen).toEqual([]);
});

test('a check with real tokens sends nothing to another base URL', async () => {
  const { url, seen } = await stranger();
  const options = { channels: [], names: [], log: silent, slackApiUrl: url };
  const tokens = { bot: 'xoxb-1234567890-abcdef', app: 'xapp-1-A0123-456-abcdef' };
  await expect(checkSlack({ ...options, tokens })).rejects.toMatchObject({ code: 'config' });
  await expect(checkSlack({ ...options, tokens: { bot: tokens.bot } })).rejects.toMatchObject({ code: 'config' });
  expect(seen).toEqual([]);
});
