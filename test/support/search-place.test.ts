import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WebClient } from '@slack/web-api';
import { expect, onTestFinished, test } from 'vitest';
import { OPERATOR, OPS_CHANNEL } from '../../src/local/slack/people.ts';
import { visit } from '../local/sparks/visitor.ts';
import { eventually, type Place, say, startPlace } from './place.ts';
import { findSecrets, WORKER_SECRETS } from './planted-secrets.ts';

const { VLLM_API_KEY: KEY, HF_TOKEN } = WORKER_SECRETS;
const CONTAINER = 'docker run -d --pull=never --label sparkops.deployment=u1 --network host --entrypoint sleep';

async function ready(): Promise<{ place: Place; run: (text: string, stdin?: string) => Promise<unknown> }> {
  const place = await startPlace();
  const { run, close } = await visit(place.sparks.clusterFile());
  onTestFinished(async () => {
    close();
    await place.stop().catch(() => undefined);
  });
  return { place, run: (text, stdin) => run('spark1', text, stdin) };
}

test('a secret is found wherever it is left, and is not told again', async () => {
  const { place, run } = await ready();
  expect(await place.leaks()).toEqual([]);
  const { redis } = place.store;
  const slack = new WebClient(place.slack.botToken, { slackApiUrl: place.slack.apiUrl });
  const state = place.sparks.clusterFile().paths.state;
  const sshKey = await readFile(place.sparks.clusterFile().ssh.key ?? '', 'utf8');

  await redis.set('s', KEY);
  await redis.set(KEY, 'in the name of a key');
  await redis.lpush('l', KEY);
  await redis.sadd('t', KEY);
  await redis.zadd('z', 1, KEY);
  await redis.hset('h', 'field', KEY);
  await redis.xadd('x', '*', 'field', KEY);
  await redis.set('gone', HF_TOKEN);
  await redis.del('gone');
  const posted = await slack.chat.postMessage({ channel: OPS_CHANNEL, text: KEY });
  await slack.chat.update({ channel: OPS_CHANNEL, ts: posted.ts ?? '', text: KEY });
  await slack.chat.postMessage({
    channel: OPS_CHANNEL,
    text: 'in what nobody sees',
    metadata: { event_type: 'planted', event_payload: { key: HF_TOKEN } },
  });
  await slack.chat.postEphemeral({ channel: OPS_CHANNEL, user: OPERATOR, text: KEY });
  await slack.filesUploadV2({ channel_id: OPS_CHANNEL, filename: 'a.log', content: `a file with ${KEY}` });
  await run(`echo ${KEY} >/dev/null`);
  await run('cat >/dev/null', `KEY=${KEY}\n`);
  await run(`umask 077; mkdir -p ${state}/evidence/u1; cat >${state}/evidence/u1/spark1.txt`, sshKey);
  await run('docker logs no-such-container', place.slack.appToken);

  const found = await place.leaks();
  expect(found.map((line) => line.split(': ')[0])).toEqual([
    'VLLM_API_KEY in Slack, chat.postMessage',
    'VLLM_API_KEY in Slack, chat.update',
    'HF_TOKEN in Slack, chat.postMessage',
    'VLLM_API_KEY in Slack, chat.postEphemeral',
    'VLLM_API_KEY in Slack, an uploaded file',
    ...redisFindings(found),
    'VLLM_API_KEY in a command on spark1',
    'VLLM_API_KEY in a command on spark1, its input',
    'the SSH key of spark.yaml in a command on spark1, its input',
    'the app token in a command on spark1, its input',
    'the SSH key of spark.yaml in home/.sparkops/evidence/u1/spark1.txt on spark1',
  ]);
  for (const where of ['string s', 'string [VLLM_API_KEY]', 'list l', 'set t', 'zset z', 'hash h', 'stream x']) {
    expect(found.join('\n')).toContain(`VLLM_API_KEY in Redis, ${where}: `);
  }
  expect(found.join('\n')).toContain('HF_TOKEN in what was once in Redis: ');
  expect(found.join('\n')).not.toMatch(/planted-key|hf_Planted/);
  await expect(place.stop()).rejects.toThrow(/^Secrets stand where they must not:\nVLLM_API_KEY in Slack/);
});

function redisFindings(found: readonly string[]): string[] {
  return found.flatMap((line) =>
    / in (?:Redis, |what was once in Redis)/.test(line) ? [line.split(': ')[0] ?? ''] : [],
  );
}

test('a form, an answer by its URL and the log of a product are searched too', async () => {
  const { place } = await ready();
  const leaky = ['sh', '-c', `echo '${KEY}' >&2; exec "$@"`, 'sh'];
  await place.product({ through: leaky });
  await say(place, '/spark');
  const { payload } = await eventually('it was delivered', 5_000, () => place.slack.deliveries[0]);
  await fetch(String(payload['response_url']), { method: 'POST', body: JSON.stringify({ text: HF_TOKEN }) });
  const slack = new WebClient(place.slack.botToken, { slackApiUrl: place.slack.apiUrl });
  const plain = (text: string) => ({ type: 'plain_text' as const, text });
  const view = { type: 'modal' as const, title: plain('A form'), blocks: [], private_metadata: KEY };
  await slack.views.open({ trigger_id: String(payload['trigger_id']), view });

  const found = await place.leaks();
  expect(found).toEqual([
    expect.stringMatching(/^VLLM_API_KEY in the log of a product: .*"msg":"\[VLLM_API_KEY\]"/),
    expect.stringMatching(/^HF_TOKEN in Slack, response_url: /),
    expect.stringMatching(/^VLLM_API_KEY in Slack, views.open: /),
  ]);
});

test('a container that was started without its secrets is told: nothing could have been found', async () => {
  const { place, run } = await ready();
  const all = Object.entries(WORKER_SECRETS).map(([name, value]) => `${name}=${value}\n`);
  await run(`cat >env; ${CONTAINER} --env-file env --name whole ${place.sparks.image} 60; rm env`, '');
  await expect(place.leaks()).rejects.toThrow('Container whole on spark1 has no HF_TOKEN');
  await run('docker rm --force whole');
  await writeFile(join(place.configFolder, 'env'), all.join(''));
  await run(`${CONTAINER} --env-file ${join(place.configFolder, 'env')} --name whole ${place.sparks.image} 60`);
  expect(await place.leaks()).toEqual([]);
});

test('what is found is told once for each secret, with what stands around it', () => {
  const secrets = [
    { name: 'A', value: 'aaaaaaaa' },
    { name: 'B', value: 'bbbbbbbb' },
  ];
  const text = `${'x'.repeat(100)} aaaaaaaa\n bbbbbbbb ${'y'.repeat(100)}`;
  expect(findSecrets(secrets, [{ where: 'a log', text }])).toEqual([
    `A in a log: ${'x'.repeat(59)} [A] [B] ${'y'.repeat(55)}`,
    `B in a log: ${'x'.repeat(55)} [A] [B] ${'y'.repeat(59)}`,
  ]);
  expect(findSecrets(secrets, [{ where: 'a log', text: 'nothing' }])).toEqual([]);
});
