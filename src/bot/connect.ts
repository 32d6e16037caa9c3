import { WebAPIPlatformError, WebClient, type WebClientOptions } from '@slack/web-api';
import { OperatorError } from '../errors.ts';
import { slackWord, WRONG_TOKEN } from './slack-problem.ts';
import type { Tokens } from './slack-url.ts';

/** Who the bot is in its workspace. */
export interface Self {
  userId: string;
  botId: string;
  name: string;
  team: string;
  teamId: string;
}

export interface ClientSettings {
  slackApiUrl?: string;
  logger: NonNullable<WebClientOptions['logger']>;
  fetch?: NonNullable<WebClientOptions['fetch']>;
}

const TIMEOUT_MS = 10_000;

/** For what the presenter posts: it waits and repeats by itself, since a client that repeats a post may post twice. */
export function presenterClient(tokens: Tokens, settings: ClientSettings): WebClient {
  return client(tokens.bot, settings, 0);
}

/** For answers to a person. */
export function answerClient(tokens: Tokens, settings: ClientSettings): WebClient {
  return client(tokens.bot, settings, 2);
}

/** Asks Slack about both tokens. Rejects with 'config' for a wrong one, with 'unreachable' when trying again may help. */
export async function whoAmI(tokens: Tokens, settings: ClientSettings): Promise<Self> {
  const self = await asked('bot token (xoxb-...)', () => client(tokens.bot, settings, 0).auth.test());
  const { app } = tokens;
  // A wrong app token makes Socket Mode's client try for ever in silence; this ticket is simply not used.
  if (app !== undefined) await asked('app token (xapp-...)', () => client(app, settings, 0).apps.connections.open({}));
  return {
    userId: self.user_id ?? '',
    botId: self.bot_id ?? '',
    name: self.user ?? 'spark',
    team: self.team ?? '',
    teamId: self.team_id ?? '',
  };
}

async function asked<T>(which: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const word = slackWord(error);
    if (error instanceof WebAPIPlatformError && WRONG_TOKEN.has(word)) {
      throw new OperatorError('config', `Slack refuses the ${which}: ${word}`, {
        hint: 'Copy it again from the app at api.slack.com: the bot token from "OAuth & Permissions", the app token, with connections:write, from "Basic Information".',
        cause: error,
      });
    }
    throw new OperatorError('unreachable', `Slack could not be reached: ${word}`, {
      hint: 'I try again until it answers. Deploys go on meanwhile, and are shown afterwards.',
      cause: error,
    });
  }
}

function client(token: string, settings: ClientSettings, retries: number): WebClient {
  return new WebClient(token, {
    ...settings,
    timeout: TIMEOUT_MS,
    retryConfig: { retries, factor: 2, minTimeout: 300 },
    // A waiting client holds up everything behind it.
    rejectRateLimitedCalls: true,
  });
}
