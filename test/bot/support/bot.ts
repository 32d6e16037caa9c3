import { pino } from 'pino';
import { startBot, type BotOptions } from '../../../src/bot/app.ts';
import type { RightsConfig } from '../../../src/config/rights.ts';
import { LOCAL_RIGHTS, OPS_CHANNEL } from '../../../src/local/slack/people.ts';
import { startLocalSlack } from '../../../src/local/slack/start-local-slack.ts';
import type { LocalSlack, LocalSlackOptions } from '../../../src/local/slack/local-slack.ts';
import { expectButtons } from './expect-buttons.ts';
import { fakeJobs, type FakeJobs } from './fake-jobs.ts';

export interface Workplace {
  slack: LocalSlack;
  jobs: FakeJobs;
  bot: { stop: () => Promise<void> };
  /** Types a command and resolves with what only that person is answered. */
  ask: (user: string, text: string, channel?: string) => Promise<string>;
  /** Whole texts of the messages at the top of a channel. */
  texts: (channel?: string) => string[];
  restart: () => Promise<void>;
  stop: () => Promise<void>;
}

export interface WorkplaceOptions {
  slack?: LocalSlackOptions;
  bot?: Partial<BotOptions>;
  jobs?: FakeJobs;
}

export const silent = pino({ level: 'silent' });

/** The local Slack's people with the rights that their names say. */
export function rightsConfig(change: Partial<RightsConfig> = {}): RightsConfig {
  return { rights: LOCAL_RIGHTS, channel_caps: {}, ...change };
}

/** The real bot against the real local Slack, with jobs in memory. */
export async function workplace(options: WorkplaceOptions = {}): Promise<Workplace> {
  const slack = await startLocalSlack({ timeZone: 'UTC', ...options.slack });
  const jobs = options.jobs ?? fakeJobs();
  const start = () =>
    startBot({
      jobs,
      tokens: { bot: slack.botToken, app: slack.appToken },
      slackApiUrl: slack.apiUrl,
      log: silent,
      rights: async () => rightsConfig(),
      ...options.bot,
    });
  const place: Workplace = {
    slack,
    jobs,
    bot: await start(),
    async ask(user, text, channel = OPS_CHANNEL) {
      const before = slack.ephemerals(user).length;
      await slack.say(user, channel, text);
      const answer = await slack.until(() => slack.ephemerals(user)[before]);
      return answer.text;
    },
    texts: (channel = OPS_CHANNEL) => slack.messages(channel).map(({ text }) => text),
    async restart() {
      await place.bot.stop();
      place.bot = await start();
    },
    async stop() {
      await place.bot.stop();
      await slack.stop();
      expectButtons(slack.apiCalls.map(({ args }) => args['blocks']));
    },
  };
  return place;
}
