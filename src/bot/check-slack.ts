import { WebAPIPlatformError, type WebClient } from '@slack/web-api';
import { WebSocket } from 'ws';
import type { Logger } from 'pino';
import { explain } from '../errors.ts';
import { checkNames } from './check-names.ts';
import { answerClient, whoAmI, type ClientSettings } from './connect.ts';
import { SLACK_PATH } from './http-door.ts';
import { slackFetch } from './slack-fetch.ts';
import { slackLog } from './slack-log.ts';
import { slackWord } from './slack-problem.ts';
import { checkSlackUrl, type Tokens } from './slack-url.ts';

export interface SlackCheck {
  check: string;
  state: 'ok' | 'warning' | 'failed';
  text: string;
  /** What to do. */
  remedy?: string;
}

export interface CheckSlackOptions {
  tokens: Tokens;
  slackApiUrl?: string;
  /** Ids of the channels where cards will be posted. */
  channels: readonly string[];
  /** People and user groups, as sparkops.yaml names them. */
  names: readonly string[];
  log: Logger;
}

/** Each with what is lost without it. */
export const SCOPES: Readonly<Record<string, { need: boolean; loss: string }>> = {
  commands: { need: true, loss: '/spark can not be typed' },
  'chat:write': { need: true, loss: 'nothing can be posted' },
  'files:write': { need: false, loss: "a failure's full log is not put into the thread" },
  'users:read': {
    need: true,
    loss: 'nobody is known as a full member, so only who is listed by id or group is answered',
  },
  'usergroups:read': { need: false, loss: 'people who are listed by a user group have no right' },
  'channels:history': { need: false, loss: 'a post whose answer was lost may stand twice in a public channel' },
  'groups:history': { need: false, loss: 'a post whose answer was lost may stand twice in a private channel' },
};

const HELLO_LIMIT_MS = 10_000;
const REINSTALL = 'Paste config/slack-manifest.yaml at api.slack.com > App Manifest, and install the app again.';

/** Asks Slack what a bot would need of it. Posts nothing. */
export async function checkSlack(options: CheckSlackOptions): Promise<readonly SlackCheck[]> {
  const { tokens, slackApiUrl, channels, names, log } = options;
  checkSlackUrl(slackApiUrl, tokens);
  const settings: ClientSettings = {
    logger: slackLog(log),
    fetch: slackFetch(slackApiUrl),
    ...(slackApiUrl === undefined ? {} : { slackApiUrl }),
  };
  const client = answerClient(tokens, settings);
  const rows: SlackCheck[] = [];
  try {
    const self = await whoAmI(tokens, settings);
    rows.push({ check: 'tokens', state: 'ok', text: `I am @${self.name} in ${self.team}` });
  } catch (error) {
    const { text, hint } = explain(error);
    return [{ check: 'tokens', state: 'failed', text, remedy: hint }];
  }
  rows.push(...(await scopes(client)));
  rows.push(...(await checkNames(client, names)));
  rows.push(...(await Promise.all(channels.map((channel) => membership(client, channel)))));
  rows.push(tokens.app === undefined ? httpMode() : await socket(tokens.app, settings));
  return rows;
}

async function scopes(client: WebClient): Promise<readonly SlackCheck[]> {
  const { response_metadata: metadata } = await client.auth.test();
  const granted = metadata?.scopes;
  if (!granted) return [{ check: 'scopes', state: 'warning', text: 'Slack does not say which scopes the token has' }];
  const missing = Object.entries(SCOPES).filter(([scope]) => !granted.includes(scope));
  if (missing.length === 0) return [{ check: 'scopes', state: 'ok', text: Object.keys(SCOPES).join(', ') }];
  return missing.map(([scope, { need, loss }]) => ({
    check: 'scopes',
    state: need ? 'failed' : 'warning',
    text: `${scope} is missing: ${loss}`,
    remedy: REINSTALL,
  }));
}

/** Reading needs membership just as posting does, and leaves no trace. */
async function membership(client: WebClient, channel: string): Promise<SlackCheck> {
  const check = `channel ${channel}`;
  try {
    await client.conversations.history({ channel, limit: 1 });
    return { check, state: 'ok', text: 'the bot is in it' };
  } catch (error) {
    const word = slackWord(error);
    if (!(error instanceof WebAPIPlatformError)) return { check, state: 'failed', text: `not asked: ${word}` };
    if (word === 'missing_scope')
      return { check, state: 'warning', text: 'not known: the scope that lets me look is missing', remedy: REINSTALL };
    const text = word === 'not_in_channel' ? 'the bot is not in it' : `the bot can't see it (${word})`;
    return {
      check,
      state: 'failed',
      text,
      remedy: 'Type /invite @sparkops there, or mend `channels` in clusters/*.yaml.',
    };
  }
}

function httpMode(): SlackCheck {
  return {
    check: 'way in',
    state: 'ok',
    text: `HTTP: Slack must reach ${SLACK_PATH} of this process, which can't be seen from here`,
    remedy: `Set https://YOUR-HOST${SLACK_PATH} as the Request URL of the command and of interactivity, then type /spark help.`,
  };
}

/** Opens a WebSocket and closes it at the first word: proxies that let calls through may not let this through. */
async function socket(appToken: string, settings: ClientSettings): Promise<SlackCheck> {
  const { url } = await answerClient({ bot: appToken }, settings).apps.connections.open({});
  try {
    await hello(String(url));
    return { check: 'way in', state: 'ok', text: 'a Socket Mode connection opens' };
  } catch (error) {
    return {
      check: 'way in',
      state: 'failed',
      text: `no Socket Mode connection opens: ${slackWord(error)}`,
      remedy: 'Is wss:// to slack.com let through? Is Socket Mode on in the app (api.slack.com > Socket Mode)?',
    };
  }
}

async function hello(url: string): Promise<void> {
  const connection = new WebSocket(url, { handshakeTimeout: HELLO_LIMIT_MS });
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('Slack did not say hello in time')), HELLO_LIMIT_MS);
      connection.once('error', reject);
      connection.once('close', () => reject(new Error('Slack closed it')));
      connection.once('message', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  } finally {
    connection.terminate();
  }
}
