import { expect, test } from 'vitest';
import { checkSlackUrl, type Tokens } from '../../src/bot/slack-url.ts';

const REAL: Tokens = { bot: 'xoxb-1234567890-abcdef', app: 'xapp-1-A0123-456-abcdef' };
const LOCAL: Tokens = { bot: 'xoxb-local-bot', app: 'xapp-local-app' };
const LOCAL_URL = 'http://127.0.0.1:4040/api/';

test.each<[string, string | undefined, Tokens]>([
  ['real tokens to Slack', undefined, REAL],
  ['real tokens to Slack, by its address', 'https://slack.com/api/', REAL],
  ["real tokens to one of Slack's hosts", 'https://eu.slack.com/api/', REAL],
  ['local tokens to a local Slack', LOCAL_URL, LOCAL],
  ['a local bot token alone, as in HTTP mode', LOCAL_URL, { bot: LOCAL.bot }],
  // Slack itself refuses them; nothing of value has left.
  ['local tokens to Slack', 'https://slack.com/api/', LOCAL],
])('goes: %s', (_, url, tokens) => {
  expect(() => checkSlackUrl(url, tokens)).not.toThrow();
});

test.each<[string, string, Tokens]>([
  ['real tokens to this machine', LOCAL_URL, REAL],
  ['a real bot token to this machine, as in HTTP mode', LOCAL_URL, { bot: REAL.bot }],
  ['a real bot token beside a local app token', LOCAL_URL, { ...LOCAL, bot: REAL.bot }],
  ['a real app token beside a local bot token', LOCAL_URL, { ...LOCAL, app: String(REAL.app) }],
  ['a token that only has local inside', LOCAL_URL, { bot: 'xoxb-123-local-456', app: 'xapp-local-app' }],
  ['a token of another kind', LOCAL_URL, { bot: 'xoxp-local-bot', app: 'xapp-local-app' }],
  ['real tokens without TLS', 'http://slack.com/api/', REAL],
  ["a host that only begins like Slack's", 'https://slack.com.example.org/api/', REAL],
  ["a host that only ends like Slack's", 'https://notslack.com/api/', REAL],
  ["Slack's name before the @", 'https://slack.com@example.org/api/', REAL],
  ['what is no URL', 'slack.com', REAL],
])('is refused: %s', (_, url, tokens) => {
  let refusal: unknown;
  try {
    checkSlackUrl(url, tokens);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toMatchObject({
    code: 'config',
    message: expect.stringContaining("is not Slack's, and the tokens are not a local Slack's"),
  });
  for (const token of [tokens.bot, tokens.app ?? tokens.bot]) expect(JSON.stringify(refusal)).not.toContain(token);
  expect(String(refusal)).not.toMatch(/xoxb-\d|xapp-\d|@/);
});
