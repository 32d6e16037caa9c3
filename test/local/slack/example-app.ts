import { App, HTTPReceiver, LogLevel, SocketModeReceiver, type AppOptions } from '@slack/bolt';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import { startLocalSlack } from '../../../src/local/slack/start-local-slack.ts';
import { ALL_SCOPES } from '../../../src/local/slack/scopes.ts';
import type { LocalSlack, LocalSlackOptions } from '../../../src/local/slack/local-slack.ts';
import { onTestFinished } from 'vitest';

/** A local Slack that ends with the test. */
export async function newSlack(options: LocalSlackOptions = {}): Promise<LocalSlack> {
  const slack = await startLocalSlack({
    scopes: [...ALL_SCOPES, 'channels:read', 'im:write', 'reactions:write'],
    ...options,
  });
  onTestFinished(() => slack.stop());
  return slack;
}

export function newClient(slack: LocalSlack, options: WebClientOptions = {}): WebClient {
  return new WebClient(slack.botToken, { slackApiUrl: slack.apiUrl, logLevel: LogLevel.ERROR, ...options });
}

export function socketReceiver(slack: LocalSlack): SocketModeReceiver {
  return new SocketModeReceiver({
    appToken: slack.appToken,
    clientPingTimeout: 300,
    serverPingTimeout: 30_000,
    logLevel: LogLevel.ERROR,
    installerOptions: { clientOptions: { slackApiUrl: slack.apiUrl } },
  });
}

/** The example on Socket Mode, connected. */
export async function overSocket(slack: LocalSlack): Promise<App> {
  const receiver = socketReceiver(slack);
  const app = exampleApp({ ...common(slack), receiver });
  await app.start();
  onTestFinished(() => receiver.client.disconnect());
  return app;
}

/** The example behind a URL, with Slack delivering there. */
export async function overHttp(slack: LocalSlack, ackLimitMs = 3_001): Promise<{ app: App; url: string }> {
  const receiver = new HTTPReceiver({
    signingSecret: slack.signingSecret,
    unhandledRequestTimeoutMillis: ackLimitMs,
    logLevel: LogLevel.ERROR,
  });
  const app = exampleApp({ ...common(slack), receiver });
  const server = await receiver.start({ port: 0, host: '127.0.0.1' });
  onTestFinished(async () => {
    await app.stop();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}/slack/events`;
  slack.deliverTo({ url });
  return { app, url };
}

function common(slack: LocalSlack): AppOptions {
  return { token: slack.botToken, logLevel: LogLevel.ERROR, clientOptions: { slackApiUrl: slack.apiUrl } };
}

/** A small bot: asks before it deploys, opens a modal, answers in the thread. */
function exampleApp(options: AppOptions): App {
  const app = new App(options);
  app.command('/spark', async ({ command, ack, respond, client }) => {
    const [verb, model] = command.text.split(' ');
    if (verb === 'silent') return;
    if (verb === 'status') {
      await ack({ response_type: 'ephemeral', text: 'spark: *idle*' });
      return;
    }
    await ack();
    const button = { type: 'button' as const, value: String(model) };
    const root = await client.chat.postMessage({
      channel: command.channel_id,
      text: `Deploy ${model}?`,
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: `Deploy *${model}*, asked by <@${command.user_id}>` } },
        {
          type: 'actions',
          block_id: 'decide',
          elements: [
            { ...button, action_id: 'approve', style: 'primary', text: { type: 'plain_text', text: 'Approve' } },
            { ...button, action_id: 'edit', text: { type: 'plain_text', text: 'Edit' } },
          ],
        },
      ],
    });
    await respond({ response_type: 'ephemeral', text: `asked in ${root.ts}` });
  });
  app.action('approve', async ({ ack, body, client, respond }) => {
    await ack();
    if (body.type !== 'block_actions' || !body.channel || !body.message) return;
    const place = { channel: body.channel.id, thread_ts: body.message['ts'] as string };
    const reply = await client.chat.postMessage({ ...place, text: 'loading 0 %' });
    await client.chat.update({ channel: place.channel, ts: String(reply.ts), text: 'loading 100 %' });
    await respond({ replace_original: true, text: `approved by <@${body.user.id}>` });
  });
  app.action('edit', async ({ ack, body, client }) => {
    await ack();
    if (body.type !== 'block_actions') return;
    await client.views.open({
      trigger_id: body.trigger_id,
      view: {
        type: 'modal',
        callback_id: 'edit',
        private_metadata: body.message?.ts ?? '',
        title: { type: 'plain_text', text: 'Edit deploy' },
        submit: { type: 'plain_text', text: 'Go' },
        blocks: [
          {
            type: 'input',
            block_id: 'context',
            label: { type: 'plain_text', text: 'Context length' },
            element: { type: 'plain_text_input', action_id: 'length' },
          },
        ],
      },
    });
  });
  app.view('edit', async ({ ack, view, client }) => {
    const length = view.state.values['context']?.['length']?.value ?? '';
    if (!/^\d+$/.test(length)) {
      await ack({ response_action: 'errors', errors: { context: 'must be a number' } });
      return;
    }
    await ack();
    await client.chat.postMessage({
      channel: 'C0OPS000001',
      thread_ts: view.private_metadata,
      text: `length ${length}`,
    });
  });
  app.event('app_mention', async ({ event, say, context }) => {
    await say({ text: `hello, retry ${context.retryNum}`, thread_ts: event.ts });
  });
  return app;
}
