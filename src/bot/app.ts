import { setTimeout as delay } from 'node:timers/promises';
import { App, SocketModeReceiver } from '@slack/bolt';
import type { Logger } from 'pino';
import { OperatorError } from '../errors.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { placesOver } from './can-post.ts';
import { cancelCommand } from './commands/cancel.ts';
import { deployCommand } from './commands/deploy.ts';
import { helpCommand } from './commands/help.ts';
import { logsCommand } from './commands/logs.ts';
import { statusCommand } from './commands/status.ts';
import { stopCommand } from './commands/stop.ts';
import { answerClient, presenterClient, whoAmI, type ClientSettings, type Self } from './connect.ts';
import { listen } from './listen.ts';
import { startPresenter } from './presenter/presenter.ts';
import { slackLog } from './slack-log.ts';
import { slackOver } from './slack.ts';
import { checkSlackUrl, type Tokens } from './slack-url.ts';
import { keepSocket, type Socket } from './sockets.ts';
import { within } from './within.ts';

export interface BotOptions {
  jobs: Jobs;
  tokens: Tokens;
  /** Left out: Slack's own. Another one only with the tokens of a local Slack. */
  slackApiUrl?: string;
  log: Logger;
  /** Whether a Slack user may change something. */
  mayChange: (user: string) => boolean;
  /** Slack ids of those who may, to name them in a refusal. */
  operators: () => readonly string[];
  now?: () => Date;
}

/** Two, so that one listens while Slack renews the other. At most ten for all processes together. */
const SOCKETS = 2;
/** A connection without an answer for this long is dead. */
const PING_TIMEOUT_MS = 2_000;
const WORK_LIMIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Listens to Slack and shows deployments there. Rejects with 'config' for a wrong token. When Slack can't be reached it
 * resolves all the same, tries on, and shows afterwards what happened meanwhile.
 */
export async function startBot(options: BotOptions): Promise<{ stop: () => Promise<void> }> {
  const { jobs, tokens, log, slackApiUrl } = options;
  checkSlackUrl(slackApiUrl, tokens);
  const settings: ClientSettings = { logger: slackLog(log), ...(slackApiUrl === undefined ? {} : { slackApiUrl }) };
  const stopping = new AbortController();

  const first = await whoAmI(tokens, settings).catch((error: unknown) => {
    if (error instanceof OperatorError && error.code === 'config') throw error;
    log.warn({ err: error }, 'Slack could not be reached; I try again');
    return undefined;
  });
  let ears: Ears | undefined;
  const connecting = (first ? Promise.resolve(first) : untilKnown(tokens, settings, stopping.signal, log)).then(
    async (self) => {
      if (!self || stopping.signal.aborted) return;
      ears = openEars(self, options, settings);
      await Promise.all(ears.sockets.map(({ open }) => open));
      log.info({ bot: self.name, team: self.team }, 'Connected to Slack');
    },
  );
  if (first) await within(PING_TIMEOUT_MS * 5, connecting);
  const presenter = startPresenter({ jobs, log, slack: slackOver(presenterClient(tokens, settings)) });

  return {
    async stop() {
      stopping.abort();
      await Promise.all([presenter.stop(), ears && deafen(ears)]);
    },
  };
}

interface Ears {
  sockets: readonly Socket[];
  working: () => Promise<void>;
}

async function deafen({ sockets, working }: Ears): Promise<void> {
  await Promise.all(sockets.map((socket) => socket.stop()));
  await within(WORK_LIMIT_MS, working());
}

function openEars(
  self: Self,
  { jobs, tokens, log, mayChange, operators, now }: BotOptions,
  settings: ClientSettings,
): Ears {
  const answers = answerClient(tokens, settings);
  const newReceiver = () =>
    new SocketModeReceiver({
      appToken: tokens.app,
      clientPingTimeout: PING_TIMEOUT_MS,
      autoReconnectEnabled: false,
      logger: slackLog(log),
      // The client writes into these options: each gets its own.
      installerOptions: { clientOptions: { ...settings, timeout: 10_000, retryConfig: { retries: 0 } } },
    });
  const app = new App({
    token: tokens.bot,
    botId: self.botId,
    botUserId: self.userId,
    tokenVerificationEnabled: false,
    // The sockets hand their events over by themselves.
    receiver: { init: () => {}, start: async () => {}, stop: async () => {} },
    clientOptions: { ...settings, timeout: 10_000, retryConfig: { retries: 2 } },
    logger: slackLog(log),
    convoStore: false,
  });
  const places = placesOver(answers, () => self.name);
  const commands = [
    deployCommand(jobs, places),
    statusCommand(jobs, now ?? (() => new Date())),
    logsCommand(jobs),
    cancelCommand(jobs),
    stopCommand(jobs, places),
  ];
  const { working } = listen(app, {
    commands: [...commands, helpCommand(commands, jobs)],
    jobs,
    operators,
    mayChange,
    answers,
    log,
  });
  return { working, sockets: Array.from({ length: SOCKETS }, () => keepSocket({ newReceiver, app, log })) };
}

async function untilKnown(
  tokens: Tokens,
  settings: ClientSettings,
  signal: AbortSignal,
  log: Logger,
): Promise<Self | undefined> {
  for (let attempt = 0; !signal.aborted; attempt++) {
    await delay(Math.min(LONGEST_WAIT_MS, 500 * 2 ** attempt), undefined, { signal }).catch(() => {});
    if (signal.aborted) return undefined;
    try {
      return await whoAmI(tokens, settings);
    } catch (error) {
      log.warn({ err: error, attempt }, 'Slack could not be reached; I try again');
    }
  }
  return undefined;
}
