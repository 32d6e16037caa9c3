import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { OPERATOR, OPS_CHANNEL } from '../../../src/local/slack/people.ts';
import { startLocalSlack } from '../../../src/local/slack/start-local-slack.ts';

test('stop ends sockets that nobody closes, streams and waiting deliveries', async () => {
  const slack = await startLocalSlack();
  const answer = await fetch(`${slack.apiUrl}apps.connections.open`, {
    method: 'POST',
    headers: { authorization: `Bearer ${slack.appToken}` },
  });
  const socket = new WebSocket(((await answer.json()) as { url: string }).url);
  await once(socket, 'open');
  const closed = once(socket, 'close');
  const picture = await fetch(`${slack.url}page/stream`);
  const said = slack.say(OPERATOR, OPS_CHANNEL, '/spark status');
  await slack.stop();
  expect((await said).delivery?.status).toBe('dispatch_failed');
  await closed;
  await expect(picture.text()).rejects.toThrow('terminated');
  await expect(fetch(slack.url)).rejects.toThrow('fetch failed');
});

test('a port that is taken is an error', async () => {
  const slack = await startLocalSlack();
  await expect(startLocalSlack({ port: Number(new URL(slack.url).port) })).rejects.toThrow('EADDRINUSE');
  await slack.stop();
});
