import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { signature } from '../../../src/local/slack/http-mode.ts';
import type { LocalSlack } from '../../../src/local/slack/local-slack.ts';
import { APPROVER, OPERATOR, OPS_CHANNEL, OTHER_CHANNEL, VIEWER } from '../../../src/local/slack/people.ts';
import { newClient, newSlack, overHttp, overSocket, socketReceiver } from './example-app.ts';

/** A command, a modal with an error, a button, and an answer inside the acknowledgement. */
async function conversation(slack: LocalSlack): Promise<void> {
  const said = await slack.say(OPERATOR, OPS_CHANNEL, '/spark deploy qwen35');
  expect(said.delivery).toMatchObject({ kind: 'slash_commands', status: 'acked' });
  const card = await slack.until(() => slack.messages(OPS_CHANNEL)[0]);
  await slack.until(() => slack.ephemerals(OPERATOR).find((message) => message.text.startsWith('asked in')));

  expect(await slack.click(OPERATOR, card.ts, 'edit')).toMatchObject({ status: 'acked' });
  const modal = await slack.until(() => slack.modals(OPERATOR)[0]);
  await slack.submitView(OPERATOR, modal.view.id, { length: 'lots' });
  expect(modal.errors).toEqual({ context: 'must be a number' });
  await slack.submitView(OPERATOR, modal.view.id, { length: '32768' });
  expect(slack.modals(OPERATOR)).toEqual([]);
  await slack.until(() => slack.thread(OPS_CHANNEL, card.ts).find((reply) => reply.text === 'length 32768'));

  expect(await slack.click(APPROVER, card.ts, 'approve')).toMatchObject({ status: 'acked' });
  await slack.until(() => slack.thread(OPS_CHANNEL, card.ts).find((reply) => reply.text === 'loading 100 %'));
  await slack.until(() => card.text === `approved by <@${APPROVER}>`);
  expect(card.blocks).toBeUndefined();
  expect(slack.textOf(card)).toBe('approved by @Approver');

  await slack.say(VIEWER, OPS_CHANNEL, '/spark status');
  expect(slack.ephemerals(VIEWER).map((message) => message.text)).toEqual(['spark: *idle*']);
  expect(slack.violations).toEqual([]);
}

describe('Socket Mode', () => {
  test('a whole conversation, each call with its token', async () => {
    const slack = await newSlack();
    await overSocket(slack);
    await conversation(slack);
    const tokens = slack.apiCalls.filter((call) => call.token).map((call) => [call.method, call.token]);
    expect(tokens).toContainEqual(['apps.connections.open', 'xapp-local-app']);
    expect(tokens.filter(([method, token]) => method?.startsWith('chat.') && token !== 'xoxb-local-bot')).toEqual([]);
  });

  test('no acknowledgement in time: the person is told', async () => {
    const slack = await newSlack({ ackLimitMs: 100 });
    await overSocket(slack);
    const { delivery } = await slack.say(OPERATOR, OPS_CHANNEL, '/spark silent');
    expect(delivery?.status).toBe('timeout');
    expect(slack.ephemerals(OPERATOR)[0]?.text).toBe(
      '/spark failed because the app did not respond. Please try again or contact the app developer.',
    );
  });

  test('nobody connected: dispatch_failed', async () => {
    const slack = await newSlack();
    const { delivery } = await slack.say(OPERATOR, OPS_CHANNEL, '/spark status');
    expect(delivery?.status).toBe('dispatch_failed');
    expect(slack.ephemerals(OPERATOR)[0]?.text).toContain('dispatch_failed');
  });

  test('a disconnect notice: no envelopes on the old socket, and a new ticket for the next', async () => {
    const slack = await newSlack();
    await overSocket(slack);
    slack.disconnect('refresh_requested');
    expect((await slack.say(OPERATOR, OPS_CHANNEL, '/spark status')).delivery?.status).toBe('dispatch_failed');
    await slack.until(() => slack.sockets() === 0);
    await slack.until(() => slack.sockets() === 1);
    expect((await slack.say(OPERATOR, OPS_CHANNEL, '/spark status')).delivery?.status).toBe('acked');
    expect(slack.apiCalls.filter((call) => call.method === 'apps.connections.open')).toHaveLength(2);
  });

  test('two sockets: each envelope goes to one of them', async () => {
    const slack = await newSlack();
    await overSocket(slack);
    await overSocket(slack);
    expect(slack.sockets()).toBe(2);
    for (let round = 0; round < 4; round += 1) await slack.say(OPERATOR, OPS_CHANNEL, '/spark status');
    expect(slack.ephemerals(OPERATOR)).toHaveLength(4);
  });

  test('the eleventh socket is sent away; a ticket is good once', async () => {
    const slack = await newSlack();
    const urlOf = async (): Promise<string> => {
      const response = await fetch(`${slack.apiUrl}apps.connections.open`, {
        method: 'POST',
        headers: { authorization: `Bearer ${slack.appToken}` },
      });
      return ((await response.json()) as { url: string }).url;
    };
    const firstUrl = await urlOf();
    const sockets = [new WebSocket(firstUrl)];
    for (let count = 1; count < 10; count += 1) sockets.push(new WebSocket(await urlOf()));
    await slack.until(() => slack.sockets() === 10);
    const eleventh = new WebSocket(await urlOf());
    const frame = await new Promise<string>((resolve) =>
      eleventh.once('message', (data: Buffer) => resolve(data.toString('utf8'))),
    );
    expect(JSON.parse(frame)).toMatchObject({ type: 'disconnect', reason: 'too_many_websockets' });
    const again = new WebSocket(firstUrl);
    await expect(new Promise((resolve, reject) => again.once('open', resolve).once('error', reject))).rejects.toThrow(
      '408',
    );
    for (const socket of sockets) socket.close();
    await slack.until(() => slack.sockets() === 0);
  });

  test('the server pings, so that the client can tell a dead connection', async () => {
    const slack = await newSlack({ pingEveryMs: 20 });
    const receiver = socketReceiver(slack);
    const url = await fetch(`${slack.apiUrl}apps.connections.open`, {
      method: 'POST',
      headers: { authorization: `Bearer ${slack.appToken}` },
    });
    const socket = new WebSocket(((await url.json()) as { url: string }).url);
    await new Promise((resolve) => socket.once('ping', resolve));
    socket.close();
    await receiver.client.disconnect();
    expect(slack.violations).toEqual([]);
  });

  test('a mention arrives as an event', async () => {
    const slack = await newSlack();
    await overSocket(slack);
    const { message, delivery } = await slack.say(OPERATOR, OPS_CHANNEL, '@sparkops are you there?');
    expect(delivery).toMatchObject({ kind: 'events_api', status: 'acked' });
    expect(await slack.until(() => slack.thread(OPS_CHANNEL, message?.ts ?? '')[1])).toMatchObject({
      text: 'hello, retry 0',
    });
  });
});

describe('HTTP mode', () => {
  test('the same conversation, signed', async () => {
    const slack = await newSlack();
    await overHttp(slack);
    await conversation(slack);
    expect(slack.deliveries.map((delivery) => delivery.httpStatus)).toEqual(slack.deliveries.map(() => 200));
  });

  test('Bolt refuses what is not signed by us, or is old', async () => {
    const slack = await newSlack();
    const { url } = await overHttp(slack);
    const body = 'command=%2Fspark&text=status';
    const post = async (headers: Record<string, string>): Promise<number> => {
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      return (await fetch(url, { method: 'POST', body, headers: { ...type, ...headers } })).status;
    };
    const now = Math.floor(Date.now() / 1000);
    expect(await post(signature(body, slack.signingSecret))).toBe(200);
    expect(await post(signature(body, 'wrong'))).toBe(401);
    expect(await post(signature(body, slack.signingSecret, now - 301))).toBe(401);
    expect(await post({})).toBe(401);
  });

  test('a status other than 2xx is told to the person', async () => {
    const slack = await newSlack();
    await overHttp(slack, 100);
    const { delivery } = await slack.say(OPERATOR, OPS_CHANNEL, '/spark silent');
    expect(delivery).toMatchObject({ status: 'http_error', httpStatus: 404 });
    expect(slack.ephemerals(OPERATOR)[0]?.text).toContain('dispatch_failed');
  });
});

test('commands: unknown ones and threads are answered by Slack itself', async () => {
  const slack = await newSlack();
  await slack.say(OPERATOR, OPS_CHANNEL, '/nope');
  const { message } = await slack.say(OPERATOR, OPS_CHANNEL, 'hello');
  await slack.say(OPERATOR, OPS_CHANNEL, '/spark cancel 1', { threadTs: message?.ts ?? '' });
  expect(slack.ephemerals(OPERATOR).map((shown) => shown.text)).toEqual([
    expect.stringContaining('/nope is not a valid command'),
    '/spark is not supported in threads. Sorry!',
  ]);
  expect(slack.deliveries).toEqual([]);
});

test('a command in a channel without the bot arrives; the bot can answer it, but not post there', async () => {
  const slack = await newSlack();
  await overSocket(slack);
  const { delivery } = await slack.say(OPERATOR, OTHER_CHANNEL, '/spark status');
  expect(delivery?.status).toBe('acked');
  expect(slack.ephemerals(OPERATOR)[0]?.channel).toBe(OTHER_CHANNEL);
  await expect(newClient(slack).chat.postMessage({ channel: OTHER_CHANNEL, text: 'hi' })).rejects.toThrow(
    'not_in_channel',
  );
});

test('until tells what it waited for and what Slack shows', async () => {
  const slack = await newSlack();
  await slack.say(OPERATOR, OPS_CHANNEL, 'hello');
  await expect(slack.until(() => slack.messages(OPS_CHANNEL)[5], 20)).rejects.toThrow('Operator in #spark-ops: hello');
});
