import { describe, expect, test } from 'vitest';
import { OPERATOR, OPS_CHANNEL, OTHER_CHANNEL, VIEWER } from '../../../src/local/slack/people.ts';
import { newClient, newSlack } from './example-app.ts';

const channel = OPS_CHANNEL;
const section = (text: string) => ({ type: 'section' as const, text: { type: 'mrkdwn' as const, text } });
const seq = (number: number) => ({ event_type: 'sparkops', event_payload: { deployment: 'd1', seq: number } });

describe('messages', () => {
  test('a post is stored as Slack stores it: escaped, with ids', async () => {
    const slack = await newSlack();
    await newClient(slack).chat.postMessage({ channel, text: 'a < b & <@U0VIEWER001>', blocks: [section('1 > 0')] });
    expect(slack.messages(channel)[0]).toMatchObject({
      text: 'a &lt; b &amp; <@U0VIEWER001>',
      blocks: [{ block_id: expect.any(String), text: { text: '1 &gt; 0', verbatim: false } }],
    });
    expect(slack.violations).toEqual([]);
  });

  test('what Slack refuses is answered as Slack does, and is a violation', async () => {
    const slack = await newSlack();
    const client = newClient(slack);
    const refused = async (call: Promise<unknown>): Promise<string> =>
      call.then(
        () => 'taken',
        (error: Error) => error.message.replace('An API error occurred: ', ''),
      );
    expect(await refused(client.chat.postMessage({ channel, text: 'x', blocks: [section('x'.repeat(3001))] }))).toBe(
      'invalid_blocks',
    );
    expect(await refused(client.chat.postMessage({ channel, text: '' }))).toBe('no_text');
    expect(await refused(client.chat.postMessage({ channel: 'C0NOWHERE00', text: 'x' }))).toBe('channel_not_found');
    expect(await refused(client.chat.postMessage({ channel: OTHER_CHANNEL, text: 'x' }))).toBe('not_in_channel');
    const blocks = Array.from({ length: 5 }, () => section('x'.repeat(2_700)));
    expect(await refused(client.chat.postMessage({ channel, text: 'x', blocks }))).toBe('msg_blocks_too_long');
    const metadata = { event_type: 'x', event_payload: { nested: { deep: { er: 1 } } } };
    expect(await refused(client.apiCall('chat.postMessage', { channel, text: 'x', metadata }))).toBe(
      'invalid_metadata_schema',
    );
    expect(await refused(client.chat.postEphemeral({ channel, user: 'U0NOBODY000', text: 'x' }))).toBe(
      'user_not_in_channel',
    );
    expect(await refused(client.apiCall('chat.nonsense'))).toBe('unknown_method');
    expect(slack.violations.map((violation) => violation.error)).toEqual([
      'invalid_blocks',
      'no_text',
      'channel_not_found',
      'not_in_channel',
      'msg_blocks_too_long',
      'invalid_metadata_schema',
      'user_not_in_channel',
      'unknown_method',
    ]);
    expect(slack.violations[0]).toMatchObject({
      method: 'chat.postMessage',
      args: { channel },
      messages: ['must be less than 3001 characters [json-pointer:/blocks/0/text/text]'],
    });
    expect(slack.messages(channel)).toEqual([]);
  });

  test('an edit: text alone takes the blocks away and shows as edited', async () => {
    const slack = await newSlack();
    const client = newClient(slack);
    const { ts = '' } = await client.chat.postMessage({ channel, text: 'a', blocks: [section('a')], metadata: seq(1) });
    await client.chat.update({ channel, ts, text: 'b', blocks: [section('b')] });
    const message = slack.messages(channel)[0];
    expect(message).toMatchObject({ text: 'b', blocks: [{ text: { text: 'b' } }], metadata: seq(1) });
    expect(message?.edited).toBeUndefined();
    await client.chat.update({ channel, ts, text: 'c' });
    expect(message).toMatchObject({ text: 'c', edited: { user: expect.any(String) } });
    expect(message?.blocks).toBeUndefined();
    await expect(client.chat.update({ channel, ts, text: 'x'.repeat(4_001) })).rejects.toThrow('msg_too_long');
    await expect(client.chat.update({ channel, ts: '1.0', text: 'x' })).rejects.toThrow('message_not_found');
    const { message: theirs } = await slack.say(OPERATOR, channel, 'mine');
    await expect(client.chat.update({ channel, ts: theirs?.ts ?? '', text: 'x' })).rejects.toThrow(
      'cant_update_message',
    );
  });

  test('text over 40,000 is cut, with a warning', async () => {
    const slack = await newSlack();
    const answer = await newClient(slack).chat.postMessage({ channel, text: 'x'.repeat(40_001) });
    expect(answer.response_metadata?.warnings).toEqual(['message_truncated']);
    expect(slack.messages(channel)[0]?.text).toHaveLength(40_000);
  });

  test('an archived channel, a message that somebody deleted, direct messages', async () => {
    const slack = await newSlack();
    const client = newClient(slack);
    const { ts = '' } = await client.chat.postMessage({ channel, text: 'card' });
    slack.deleteMessage(channel, ts);
    await expect(client.chat.update({ channel, ts, text: 'x' })).rejects.toThrow('message_not_found');
    slack.setChannel({ id: channel, archived: true });
    await expect(client.chat.postMessage({ channel, text: 'x' })).rejects.toThrow('is_archived');
    const direct = (await client.conversations.open({ users: VIEWER })).channel?.id ?? '';
    await client.chat.postMessage({ channel: direct, text: 'psst' });
    await client.chat.postMessage({ channel: VIEWER, text: 'again' });
    expect(slack.messages(direct).map((message) => message.text)).toEqual(['psst', 'again']);
  });

  test('an ephemeral message is seen by one person, and has no metadata', async () => {
    const slack = await newSlack();
    const client = newClient(slack);
    await client.apiCall('chat.postEphemeral', { channel, user: OPERATOR, text: 'only you', metadata: seq(1) });
    const shown = slack.ephemerals(OPERATOR)[0];
    expect(shown).toMatchObject({ text: 'only you', only_for: OPERATOR });
    expect(shown?.metadata).toBeUndefined();
    expect(slack.ephemerals(VIEWER)).toEqual([]);
    await expect(client.chat.update({ channel, ts: shown?.ts ?? '', text: 'x' })).rejects.toThrow('message_not_found');
  });
});

describe('threads and history', () => {
  test('replies are filed under the root, and broadcasts show in the channel', async () => {
    const slack = await newSlack();
    const client = newClient(slack);
    const { ts: root = '' } = await client.chat.postMessage({ channel, text: 'root', metadata: seq(0) });
    const { ts: reply = '' } = await client.chat.postMessage({
      channel,
      text: 'one',
      thread_ts: root,
      metadata: seq(1),
    });
    await client.chat.postMessage({ channel, text: 'two', thread_ts: reply, reply_broadcast: true });
    expect(slack.thread(channel, root).map((message) => message.text)).toEqual(['root', 'one', 'two']);
    expect(slack.messages(channel).map((message) => message.text)).toEqual(['root', 'two']);

    const replies = await client.conversations.replies({ channel, ts: root, include_all_metadata: true });
    expect(replies.messages?.map((message) => message.metadata?.event_payload)).toEqual([
      { deployment: 'd1', seq: 0 },
      { deployment: 'd1', seq: 1 },
      undefined,
    ]);
    expect(replies.messages?.[0]).toMatchObject({ reply_count: 2, thread_ts: root });

    const history = await client.conversations.history({ channel, include_all_metadata: true, limit: 1 });
    expect(history).toMatchObject({ has_more: true, messages: [{ text: 'two', subtype: 'thread_broadcast' }] });
    const rest = await client.conversations.history({ channel, cursor: history.response_metadata?.next_cursor ?? '' });
    expect(rest.messages?.map((message) => [message.text, message.metadata])).toEqual([['root', undefined]]);
    const none = await client.conversations.history({ channel, oldest: root, latest: reply });
    expect(none.messages).toEqual([]);
  });

  test('the other methods answer', async () => {
    const slack = await newSlack();
    const client = newClient(slack);
    const { ts = '' } = await client.chat.postMessage({ channel, text: 'root' });
    expect((await client.auth.test()).bot_id).toBe('B0SPARKBOT1');
    expect((await client.users.info({ user: OPERATOR })).user?.real_name).toBe('Operator');
    expect((await client.conversations.info({ channel: OTHER_CHANNEL })).channel).toMatchObject({
      name: 'random',
      is_member: false,
    });
    expect((await client.chat.getPermalink({ channel, message_ts: ts })).permalink).toContain(`/archives/${channel}/p`);
    await client.reactions.add({ channel, timestamp: ts, name: 'eyes' });
    await expect(client.reactions.add({ channel, timestamp: ts, name: 'eyes' })).rejects.toThrow('already_reacted');
    await client.chat.delete({ channel, ts });
    expect(slack.messages(channel)).toEqual([]);
    await client.apiCall('blocks.validate', { blocks: [section('x')] });
    await expect(client.apiCall('blocks.validate', { blocks: [{ type: 'nope' }] })).rejects.toThrow('invalid_blocks');
  });

  test('tokens: each method takes its own kind', async () => {
    const slack = await newSlack();
    const withToken = async (method: string, token: string): Promise<unknown> =>
      (await fetch(slack.apiUrl + method, { method: 'POST', headers: { authorization: `Bearer ${token}` } })).json();
    expect(await withToken('auth.test', 'xoxb-other')).toMatchObject({ error: 'invalid_auth' });
    expect(await withToken('auth.test', slack.appToken)).toMatchObject({ error: 'not_allowed_token_type' });
    expect(await withToken('apps.connections.open', slack.botToken)).toMatchObject({ error: 'not_allowed_token_type' });
    expect(await withToken('auth.test', '')).toMatchObject({ error: 'not_authed' });
  });
});

test('a file goes up in three steps', async () => {
  const slack = await newSlack();
  const { ts = '' } = await newClient(slack).chat.postMessage({ channel, text: 'root' });
  const upload = { filename: 'vllm.log', title: 'vllm.log', content: 'line1\nline2\n', initial_comment: 'the log' };
  await newClient(slack).files.uploadV2({ ...upload, channel_id: channel, thread_ts: ts });
  const message = slack.thread(channel, ts)[1];
  expect(slack.fileText(message?.files?.[0]?.id ?? '')).toBe('line1\nline2\n');
  expect(message && slack.textOf(message)).toBe('the log\n[file: vllm.log, 12 B]');
  const link = message?.files?.[0]?.url_private ?? '';
  const response = await fetch(link);
  expect([response.headers.get('content-type'), response.headers.get('x-content-type-options')]).toEqual([
    'text/plain; charset=utf-8',
    'nosniff',
  ]);
});

describe('rate limits', () => {
  test('posts: about one a second and channel, after a short burst', async () => {
    let now = Date.now();
    const slack = await newSlack({ now: () => now });
    const client = newClient(slack, { rejectRateLimitedCalls: true });
    const post = (to: string): Promise<unknown> => client.chat.postMessage({ channel: to, text: 'x' });
    for (let count = 0; count < 5; count += 1) await post(channel);
    await expect(post(channel)).rejects.toMatchObject({ code: 'slack_webapi_rate_limited_error', retryAfter: 1 });
    await expect(post(OPERATOR)).resolves.toMatchObject({ ok: true });
    now += 1_000;
    await expect(post(channel)).resolves.toMatchObject({ ok: true });
    await expect(post(channel)).rejects.toMatchObject({ retryAfter: 1 });
    expect(slack.apiCalls.filter((call) => call.status === 429)).toHaveLength(2);
    expect(slack.violations).toEqual([]);
  });

  test('edits: fifty a minute for the workspace', async () => {
    let now = Date.now();
    const slack = await newSlack({ now: () => now });
    const client = newClient(slack, { rejectRateLimitedCalls: true });
    const { ts = '' } = await client.chat.postMessage({ channel, text: 'x' });
    const edit = (count: number): Promise<unknown> => client.chat.update({ channel, ts, text: `edit ${count}` });
    for (let count = 0; count < 50; count += 1) await edit(count);
    await expect(edit(51)).rejects.toMatchObject({ retryAfter: 60 });
    now += 60_000;
    await expect(edit(52)).resolves.toMatchObject({ ok: true });
  });

  test('can be switched off', async () => {
    const slack = await newSlack({ rateLimits: false });
    const client = newClient(slack, { rejectRateLimitedCalls: true });
    for (let count = 0; count < 10; count += 1) await client.chat.postMessage({ channel, text: 'x' });
    expect(slack.messages(channel)).toHaveLength(10);
  });
});

describe('faults', () => {
  test('statuses, errors and 429 by method, as often as asked', async () => {
    const slack = await newSlack();
    const client = newClient(slack, { retryConfig: { retries: 3, minTimeout: 5, maxTimeout: 10 } });
    slack.fault('chat.postMessage', { status: 503, times: 2 });
    await client.chat.postMessage({ channel, text: 'x' });
    expect(slack.apiCalls.map((call) => call.status)).toEqual([503, 503, 200]);
    slack.fault('chat.update', { error: 'edit_window_closed' });
    const { ts = '' } = slack.messages(channel)[0] ?? {};
    await expect(client.chat.update({ channel, ts, text: 'y' })).rejects.toThrow('edit_window_closed');
    await client.chat.update({ channel, ts, text: 'y' });
    slack.fault('*', { retryAfter: 7, times: Infinity });
    const impatient = newClient(slack, { rejectRateLimitedCalls: true });
    await expect(impatient.auth.test()).rejects.toMatchObject({ retryAfter: 7 });
    slack.clearFaults();
    await impatient.auth.test();
    expect(slack.violations).toEqual([]);
  });

  test('done, but answered 500: the post is there, and the retry makes two', async () => {
    const slack = await newSlack();
    slack.fault('chat.postMessage', { status: 500, applied: true });
    const client = newClient(slack, { retryConfig: { retries: 1, minTimeout: 5, maxTimeout: 10 } });
    await client.chat.postMessage({ channel, text: 'once' });
    expect(slack.messages(channel).map((message) => message.text)).toEqual(['once', 'once']);
  });

  test('a delay', async () => {
    const slack = await newSlack();
    slack.fault('auth.test', { delayMs: 60 });
    const started = performance.now();
    await newClient(slack).auth.test();
    expect(performance.now() - started).toBeGreaterThanOrEqual(59);
  });
});

test('listeners hear what happens, in order', async () => {
  const slack = await newSlack();
  const client = newClient(slack);
  const heard: string[] = [];
  const stop = slack.on((event) => {
    if ('message' in event) heard.push(`${event.type} ${event.message.text}`);
  });
  const { ts = '' } = await client.chat.postMessage({ channel, text: 'a' });
  await client.chat.update({ channel, ts, text: 'b' });
  await client.chat.postEphemeral({ channel, user: OPERATOR, text: 'c' });
  await client.chat.delete({ channel, ts });
  stop();
  await client.chat.postMessage({ channel, text: 'd' });
  expect(heard).toEqual(['posted a', 'edited b', 'ephemeral c', 'deleted b']);
});
