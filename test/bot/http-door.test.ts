import { App } from '@slack/bolt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openHttpDoor, type HttpDoor } from '../../src/bot/http-door.ts';
import { slackLog } from '../../src/bot/slack-log.ts';
import { signature } from '../../src/local/slack/http-mode.ts';
import { silent } from './support/bot.ts';

const SECRET = 'a-signing-secret';
const FORM = 'application/x-www-form-urlencoded';
const now = () => Math.floor(Date.now() / 1_000);

let door: HttpDoor;
let commands: string[];
beforeEach(async () => {
  commands = [];
  door = await openHttpDoor({ signingSecret: SECRET, host: '127.0.0.1', port: 0, log: silent });
  const app = new App({
    token: 'xoxb-local-bot',
    botId: 'B1',
    botUserId: 'U1',
    tokenVerificationEnabled: false,
    receiver: door.receiver,
    logger: slackLog(silent),
    convoStore: false,
  });
  app.command('/spark', async ({ command, ack }) => {
    commands.push(command.text);
    await ack();
  });
  door.open();
});
afterEach(() => door.stop());

const COMMAND = new URLSearchParams({ command: '/spark', text: 'status', team_id: 'T1', user_id: 'U1' }).toString();

interface Sent {
  body?: string;
  type?: string;
  headers?: Record<string, string>;
  path?: string;
  method?: string;
}

async function send({ body = COMMAND, type = FORM, headers, path = '/slack/events', method = 'POST' }: Sent = {}) {
  return fetch(`http://127.0.0.1:${door.port}${path}`, {
    method,
    headers: { 'content-type': type, ...(headers ?? signature(body, SECRET)) },
    ...(method === 'GET' ? {} : { body }),
  });
}

describe('what Slack signed is taken', () => {
  test('a command', async () => {
    expect((await send()).status).toBe(200);
    expect(commands).toEqual(['status']);
  });

  test.each([-290, 290])('%i s off', async (seconds) => {
    expect((await send({ headers: signature(COMMAND, SECRET, now() + seconds) })).status).toBe(200);
  });

  test('a form whose type names a charset', async () => {
    expect((await send({ type: `${FORM}; charset=utf-8` })).status).toBe(200);
    expect(commands).toEqual(['status']);
  });

  test('url_verification', async () => {
    const body = JSON.stringify({ type: 'url_verification', challenge: 'abc' });
    const response = await send({ body, type: 'application/json' });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ challenge: 'abc' });
  });

  test('ssl_check, which is not signed', async () => {
    expect((await send({ body: 'ssl_check=1&token=x', headers: {} })).status).toBe(200);
  });
});

describe('all else is refused, and nothing runs', () => {
  const other = 'another-signing-secret';
  test.each<[string, () => Sent]>([
    ['older than 5 min', () => ({ headers: signature(COMMAND, SECRET, now() - 310) })],
    ['from more than 5 min ahead', () => ({ headers: signature(COMMAND, SECRET, now() + 310) })],
    ['from far ahead', () => ({ headers: signature(COMMAND, SECRET, Number.MAX_SAFE_INTEGER) })],
    ['another secret', () => ({ headers: signature(COMMAND, other) })],
    ['another body than the signed one', () => ({ headers: signature('text=stop', SECRET) })],
    ['no signature', () => ({ headers: {} })],
    [
      'a time that is no number',
      () => ({ headers: { ...signature(COMMAND, SECRET), 'x-slack-request-timestamp': 'x' } }),
    ],
    ['a command smuggled in with ssl_check', () => ({ body: `ssl_check=1&${COMMAND}`, headers: {} })],
    ['an unsigned challenge', () => ({ body: '{"type":"url_verification"}', type: 'application/json', headers: {} })],
  ])('%s', async (_, sent) => {
    const { status } = await send(sent());
    expect(status === 401 || (status === 200 && sent().body?.startsWith('ssl_check'))).toBe(true);
    expect(commands).toEqual([]);
  });

  test.each<[string, Sent, number]>([
    ['another path', { path: '/' }, 404],
    ['a GET', { method: 'GET' }, 404],
    ['a body that is too large', { body: 'x'.repeat(5_000_000) }, 413],
  ])('%s', async (_, sent, status) => {
    expect((await send(sent)).status).toBe(status);
    expect(commands).toEqual([]);
  });
});

test('before the bot is ready a request is answered 503', async () => {
  const early = await openHttpDoor({ signingSecret: SECRET, host: '127.0.0.1', port: 0, log: silent });
  try {
    const response = await fetch(`http://127.0.0.1:${early.port}/slack/events`, {
      method: 'POST',
      body: COMMAND,
      headers: { 'content-type': FORM, ...signature(COMMAND, SECRET) },
    });
    expect(response.status).toBe(503);
  } finally {
    await early.stop();
  }
});

test('a port that is taken is one clear error', async () => {
  const options = { signingSecret: SECRET, host: '127.0.0.1', port: door.port, log: silent };
  await expect(openHttpDoor(options)).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining(`127.0.0.1:${door.port}`),
  });
});
