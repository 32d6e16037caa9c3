import { App, LogLevel } from '@slack/bolt';
import { expect, onTestFinished, test } from 'vitest';
import { textIn } from '../../../src/local/slack/json.ts';
import type { LocalSlack } from '../../../src/local/slack/local-slack.ts';
import { OPERATOR, OPS_CHANNEL, OTHER_CHANNEL, VIEWER } from '../../../src/local/slack/people.ts';
import { newClient, newSlack, socketReceiver } from './example-app.ts';

const channel = OPS_CHANNEL;
const plain = (text: string) => ({ type: 'plain_text' as const, text });

async function answering(slack: LocalSlack, listen: (app: App) => void): Promise<void> {
  const receiver = socketReceiver(slack);
  const app = new App({
    token: slack.botToken,
    receiver,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: slack.apiUrl },
  });
  listen(app);
  await app.start();
  onTestFinished(() => receiver.client.disconnect());
}

async function post(url: string, body: object): Promise<[number, string]> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  return [response.status, await response.text()];
}

test('a trigger opens one modal, within 3 s', async () => {
  let now = Date.now();
  const slack = await newSlack({ now: () => now });
  await answering(slack, (app) => app.command('/spark', ({ ack }) => ack()));
  const client = newClient(slack);
  const view = { type: 'modal' as const, title: plain('x'), blocks: [] };
  const trigger = async (): Promise<string> => {
    const { delivery } = await slack.say(OPERATOR, channel, '/spark');
    return textIn(delivery?.payload ?? {}, 'trigger_id') ?? '';
  };
  const first = await trigger();
  await client.views.open({ trigger_id: first, view });
  await expect(client.views.open({ trigger_id: first, view })).rejects.toThrow('exchanged_trigger_id');
  const late = await trigger();
  now += 3_001;
  await expect(client.views.open({ trigger_id: late, view })).rejects.toThrow('expired_trigger_id');
  await expect(client.views.open({ trigger_id: '1.2.3', view })).rejects.toThrow('invalid_trigger_id');
  const large = { ...view, private_metadata: 'x'.repeat(250_000) };
  await expect(client.views.open({ trigger_id: await trigger(), view: large })).rejects.toThrow('view_too_large');
  const open = slack.modals(OPERATOR)[0]?.view;
  await client.views.update({ view_id: open?.id ?? '', view: { ...view, title: plain('y') }, hash: open?.hash ?? '' });
  expect(slack.modals(OPERATOR)[0]?.view.title.text).toBe('y');
  await expect(client.views.update({ view_id: open?.id ?? '', view, hash: 'old' })).rejects.toThrow('hash_conflict');
});

test('a response_url: five uses in thirty minutes, and only what Slack would show', async () => {
  let now = Date.now();
  const slack = await newSlack({ now: () => now });
  await answering(slack, (app) => app.command('/spark', ({ ack }) => ack()));
  const newUrl = async (): Promise<string> => {
    const { delivery } = await slack.say(OPERATOR, channel, '/spark');
    return textIn(delivery?.payload ?? {}, 'response_url') ?? '';
  };
  const url = await newUrl();
  expect(await post(url, { text: 'hidden' })).toEqual([200, 'ok']);
  expect(await post(url, { text: 'shown', response_type: 'in_channel' })).toEqual([200, 'ok']);
  expect((await post(url, { blocks: [{ type: 'nope' }] }))[0]).toBe(400);
  expect((await post(url, {}))[0]).toBe(400);
  expect((await post(url, { text: 'five' }))[0]).toBe(200);
  expect((await post(url, { text: 'six' }))[0]).toBe(404);
  const late = await newUrl();
  now += 30 * 60_000 + 1;
  expect((await post(late, { text: 'late' }))[0]).toBe(404);
  expect(slack.ephemerals(OPERATOR).map((message) => message.text)).toEqual(['hidden', 'five']);
  expect(slack.messages(channel).map((message) => message.text)).toEqual(['shown']);
  expect(slack.violations.map((violation) => `${violation.method} ${violation.error}`)).toEqual([
    'response_url invalid_blocks',
    'response_url no_text',
    'response_url used_url',
    'response_url expired_url',
  ]);
});

test('a click: the payload of a public and of an ephemeral message, and of a select', async () => {
  const slack = await newSlack();
  await answering(slack, (app) => app.action(/./, ({ ack }) => ack()));
  const client = newClient(slack);
  const options = ['spark', 'lab'].map((name) => ({ text: plain(name), value: name }));
  const elements = [
    { type: 'button' as const, action_id: 'go', text: plain('On spark'), value: 'spark' },
    { type: 'static_select' as const, action_id: 'which', options },
  ];
  const other = [{ type: 'button' as const, action_id: 'go', text: plain('On lab'), value: 'lab' }];
  const blocks = [
    { type: 'actions' as const, block_id: 'one', elements },
    { type: 'actions' as const, block_id: 'two', elements: other },
  ];
  const { ts = '' } = await client.chat.postMessage({ channel, text: 'where?', blocks });
  const reply = await client.chat.postMessage({ channel, text: 'where?', blocks, thread_ts: ts });

  expect((await slack.click(OPERATOR, ts, 'go', { value: 'lab' })).payload).toMatchObject({
    user: { id: OPERATOR },
    container: { message_ts: ts, channel_id: channel, is_ephemeral: false },
    message: { ts, text: 'where?', bot_id: 'B0SPARKBOT1' },
    actions: [{ action_id: 'go', block_id: 'two', value: 'lab', type: 'button' }],
  });
  expect((await slack.click(OPERATOR, ts, 'which', { value: 'spark' })).payload).toMatchObject({
    state: { values: { one: { which: { selected_option: { value: 'spark' } } } } },
    actions: [{ action_id: 'which', selected_option: { value: 'spark' } }],
  });
  expect((await slack.click(OPERATOR, reply.ts ?? '', 'go')).payload).toMatchObject({ container: { thread_ts: ts } });

  await client.chat.postEphemeral({ channel, user: OPERATOR, text: 'where?', blocks });
  const hidden = slack.ephemerals(OPERATOR)[0]?.ts ?? '';
  const { payload } = await slack.click(OPERATOR, hidden, 'go');
  expect(payload).toMatchObject({ container: { is_ephemeral: true } });
  expect(payload).not.toHaveProperty('message');
  await expect(slack.click(VIEWER, hidden, 'go')).rejects.toThrow(`${VIEWER} sees no message ${hidden}`);
  await expect(slack.click(OPERATOR, ts, 'nothing')).rejects.toThrow('nothing with the action nothing');
  const url = textIn(payload, 'response_url') ?? '';
  await post(url, { replace_original: true, text: 'chosen' });
  expect(slack.ephemerals(OPERATOR)[0]).toMatchObject({ text: 'chosen' });
  await post(url, { delete_original: true });
  expect(slack.ephemerals(OPERATOR)).toEqual([]);
});

test('an answer inside the acknowledgement obeys the rules of a message', async () => {
  const slack = await newSlack();
  await answering(slack, (app) => {
    app.command('/spark', ({ ack }) => ack({ text: 'x', blocks: [{ type: 'header', text: plain('') }] }));
  });
  await slack.say(OPERATOR, OTHER_CHANNEL, '/spark');
  expect(slack.ephemerals(OPERATOR)).toEqual([]);
  expect(slack.violations).toMatchObject([{ method: 'ack', error: 'invalid_blocks' }]);
});
