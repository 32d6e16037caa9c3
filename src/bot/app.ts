import { setTimeout as delay } from 'node:timers/promises';
import { App, SocketModeReceiver } from '@slack/bolt';
import type { Logger } from 'pino';
import type { RightsConfig } from '../config/rights.ts';
import { OperatorError } from '../errors.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { placesOver } from './can-post.ts';
import { allCommands } from './commands/all.ts';
import { answerClient, presenterClient, whoAmI, type ClientSettings, type Self } from './connect.ts';
import { countedFetch, type SlackCall } from './counted-fetch.ts';
import { openHttpDoor, SLACK_PATH, type HttpDoor } from './http-door.ts';
import { listen } from './listen.ts';
import { startNotices } from './notices.ts';
import { permissionsOver } from './permissions.ts';
import { SURFACE } from './places.ts';
import { startPresenter } from './presenter/presenter.ts';
import { slackFetch } from './slack-fetch.ts';
import { slackLog } from './slack-log.ts';
import { slackOver } from './slack.ts';
import { checkSlackUrl, type Tokens } from './slack-url.ts';
import { keepSocket, type Socket } from './sockets.ts';
import { within } from '../within.ts';
import { zonesOver } from './zones.ts';

export interface BotOptions {
  jobs: Jobs;
  tokens: Tokens;
  /** Slack calls this address, instead of sockets that the bot opens. */
  http?: { signingSecret: string; host: string; port: number };
  /** Told of each call to Slack. */
  onSlackCall?: (call: SlackCall) => void;
  /** Left out: Slack's own. Another one only with the tokens of a local Slack. */
  slackApiUrl?: string;
  log: Logger;
  /** Who may do what, as the configuration says now. */
  rights: () => Promise<RightsConfig>;
  now?: () => Date;
}

export interface Bot {
  health: () => BotHealth;
  stop: () => Promise<void>;
}

interface BotHealth {
  /** Commands reach the bot. */
  ok: boolean;
  text: string;
  sockets: number;
  /** Where Slack's requests are taken. */
  port?: number;
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
export async function startBot(options: BotOptions): Promise<Bot> {
  const { jobs, tokens, http, log, slackApiUrl, onSlackCall } = options;
  checkSlackUrl(slackApiUrl, tokens);
  const send = slackFetch(slackApiUrl);
  const settings: ClientSettings = {
    logger: slackLog(log),
    ...(slackApiUrl === undefined ? {} : { slackApiUrl }),
    fetch: onSlackCall === undefined ? send : countedFetch(onSlackCall, send),
  };
  const door = http && (await openHttpDoor({ ...http, log, ...(options.now && { now: options.now }) }));
  if (door) log.info({ port: door.port }, `Slack's requests are taken on ${http.host}:${door.port}${SLACK_PATH}`);
  const stopping = new AbortController();

  const first = await whoAmI(tokens, settings).catch((error: unknown) => {
    if (error instanceof OperatorError && error.code === 'config') return error;
    log.warn({ err: error }, 'Slack could not be reached; I try again');
    return undefined;
  });
  if (first instanceof OperatorError) {
    await door?.stop();
    throw first;
  }
  let ears: Ears | undefined;
  const connecting = (first ? Promise.resolve(first) : untilKnown(tokens, settings, stopping.signal, log)).then(
    async (self) => {
      if (!self || stopping.signal.aborted) return;
      ears = openEars(self, { ...options, door }, settings);
      await Promise.all(ears.sockets.map(({ open }) => open));
      log.info({ bot: self.name, team: self.team }, 'Connected to Slack');
    },
  );
  if (first) await within(PING_TIMEOUT_MS * 5, connecting);
  const slack = slackOver(presenterClient(tokens, settings));
  const presenter = startPresenter({ jobs, log, slack, rights: options.rights });
  const notices = startNotices({ jobs, log, slack, now: options.now ?? (() => new Date()) });

  return {
    health: () => health(ears, door),
    async stop() {
      stopping.abort();
      await Promise.all([
        presenter.stop(),
        notices.stop(),
        within(WORK_LIMIT_MS, door?.stop() ?? Promise.resolve()),
        ears && deafen(ears),
      ]);
    },
  };
}

function health(ears: Ears | undefined, door: HttpDoor | undefined): BotHealth {
  const sockets = ears?.sockets.filter((socket) => socket.isUp()).length ?? 0;
  if (!ears) return { ok: false, text: 'Slack could not be reached yet', sockets };
  if (door) return { ok: true, text: `takes requests on port ${door.port}`, sockets, port: door.port };
  return { ok: sockets > 0, text: `${sockets} of ${ears.sockets.length} sockets open`, sockets };
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
  { jobs, tokens, door, log, rights, now }: BotOptions & { door: HttpDoor | undefined },
  settings: ClientSettings,
): Ears {
  const answers = answerClient(tokens, settings);
  const newReceiver = () =>
    new SocketModeReceiver({
      appToken: tokens.app ?? '',
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
    receiver: door?.receiver ?? { init: () => {}, start: async () => {}, stop: async () => {} },
    clientOptions: { ...settings, timeout: 10_000, retryConfig: { retries: 2 } },
    logger: slackLog(log),
    convoStore: false,
  });
  const places = placesOver(answers, () => self.name);
  const clock = now ?? (() => new Date());
  const permissions = permissionsOver({ client: answers, team: self.teamId, config: rights, now: clock, log });
  const { working } = listen(app, {
    commands: allCommands({ jobs, places, now: clock }),
    jobs,
    rights,
    permissions,
    answers,
    surface: SURFACE,
    zoneOf: zonesOver(answers),
    now: clock,
    log,
  });
  door?.open();
  const sockets = door ? 0 : SOCKETS;
  return { working, sockets: Array.from({ length: sockets }, () => keepSocket({ newReceiver, app, log })) };
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
