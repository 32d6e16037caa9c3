import { describe, expect, test } from 'vitest';
import { readSettings } from '../../src/cli/read-settings.ts';

const configFolder = 'config';
const bot = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' };
const http = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'abc' };

describe('each role needs its own secrets and no others', () => {
  test('both in one process', async () => {
    const settings = await readSettings({ ...bot, HF_TOKEN: 'hf' }, { configFolder });
    expect(settings.slack).toEqual({ botToken: 'xoxb-1', way: { kind: 'socket', appToken: 'xapp-1' } });
    expect(settings.worker?.secret('HF_TOKEN')).toBe('hf');
    expect(settings.operation).toEqual({ telemetry: false });
  });

  test('a bot: no recipe secrets, no SSH agent, and a secrets file that it can not read does not matter', async () => {
    const env = { ...bot, SSH_AUTH_SOCK: '/agent', SPARKOPS_SECRETS_FILE: '/nonexistent' };
    const settings = await readSettings(env, { configFolder, role: 'bot' });
    expect(settings.worker).toBeUndefined();
    expect(settings.slack?.botToken).toBe('xoxb-1');
  });

  test('a worker: nothing of Slack', async () => {
    const settings = await readSettings({ SSH_AUTH_SOCK: '/agent' }, { configFolder, role: 'worker' });
    expect(settings.slack).toBeUndefined();
    expect(settings.worker).toMatchObject({ sshAgent: '/agent' });
  });
});

describe('how Slack reaches the bot', () => {
  test('a signing secret means HTTP', async () => {
    const port = { SPARKOPS_HTTP_PORT: '8080', SPARKOPS_HTTP_HOST: '0.0.0.0' };
    expect((await readSettings(http, { configFolder })).slack?.way).toEqual({
      kind: 'http',
      signingSecret: 'abc',
      host: '127.0.0.1',
      port: 3000,
    });
    expect((await readSettings({ ...http, ...port }, { configFolder })).slack?.way).toMatchObject({
      host: '0.0.0.0',
      port: 8080,
    });
    expect((await readSettings({ ...http, ...port }, { configFolder, httpPort: '9' })).slack?.way).toMatchObject({
      port: 9,
    });
  });

  test.each<[string, Record<string, string>, { role?: string; httpPort?: string; metricsPort?: string }, string]>([
    ['both ways', { ...bot, ...http }, {}, 'Both SLACK_APP_TOKEN and SLACK_SIGNING_SECRET are set'],
    ['no token', {}, {}, 'SLACK_BOT_TOKEN, SLACK_APP_TOKEN (or SLACK_SIGNING_SECRET, for HTTP)'],
    ['no way', { SLACK_BOT_TOKEN: 'x' }, { role: 'bot' }, 'SLACK_APP_TOKEN (or SLACK_SIGNING_SECRET, for HTTP)'],
    ['a wrong role', bot, { role: 'boss' }, 'There is no role "boss"'],
    ['no port', http, { httpPort: 'x' }, 'SPARKOPS_HTTP_PORT: "x" is not a port'],
    ['no port for operators', bot, { metricsPort: '70000' }, 'SPARKOPS_METRICS_PORT: "70000" is not a port'],
    ['no URL', { ...bot, SPARKOPS_HEARTBEAT_URL: 'ftp://x' }, {}, 'SPARKOPS_HEARTBEAT_URL'],
  ])('%s is refused', async (_, env, options, message) => {
    await expect(readSettings(env, { configFolder, ...options })).rejects.toThrow(message);
  });
});

test('what is there for operators is off until it is asked for', async () => {
  const env = {
    ...bot,
    SPARKOPS_METRICS_PORT: '9464',
    SPARKOPS_BOARD_PORT: '3001',
    SPARKOPS_HEARTBEAT_URL: 'https://example.org/beat',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  };
  expect((await readSettings(env, { configFolder })).operation).toEqual({
    port: { host: '127.0.0.1', port: 9464 },
    boardPort: 3001,
    heartbeatUrl: 'https://example.org/beat',
    telemetry: true,
  });
});
