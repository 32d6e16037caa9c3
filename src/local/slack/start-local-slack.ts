import { createActs } from './acts.ts';
import { createClock } from './clock.ts';
import { createDeliveries } from './deliveries.ts';
import type { Carrier } from './delivery.ts';
import { createFaults } from './faults.ts';
import { createFeed } from './feed.ts';
import { createHttpMode } from './http-mode.ts';
import type { LocalSlack, LocalSlackOptions } from './local-slack.ts';
import { createPage } from './page/page.ts';
import { createResponseUrls } from './response-urls.ts';
import { startServer } from './server.ts';
import { createSight } from './sight.ts';
import { createSocketMode } from './socket-mode.ts';
import { ALL_SCOPES } from './scopes.ts';
import type { Reader } from './text/reader.ts';
import { until } from './until.ts';
import { createWebApi, type ApiCall, type Violation } from './web-api.ts';
import { channelName, createWorkspace, displayName } from './workspace.ts';

const ACK_LIMIT_MS = 3_000;
const PING_EVERY_MS = 10_000;
const UNTIL_MS = 5_000;

export async function startLocalSlack(options: LocalSlackOptions = {}): Promise<LocalSlack> {
  const { botToken = 'xoxb-local-bot', appToken = 'xapp-local-app', signingSecret = 'local-signing-secret' } = options;
  const { ackLimitMs = ACK_LIMIT_MS, pingEveryMs = PING_EVERY_MS, rateLimits = true, scopes = ALL_SCOPES } = options;
  const feed = createFeed();
  const workspace = createWorkspace(createClock(options.now), feed, options.timeZone);
  const reader: Reader = {
    user: (id) => displayName(workspace, id),
    channel: (id) => channelName(workspace, id),
    now: workspace.clock.now,
    ...(options.timeZone === undefined ? {} : { timeZone: options.timeZone }),
  };
  const faults = createFaults();
  const apiCalls: ApiCall[] = [];
  const violations: Violation[] = [];
  const tokens = { bot: botToken, app: appToken };
  const webApi = createWebApi({ workspace, tokens, faults, rateLimits, scopes, calls: apiCalls, violations });
  const socketMode = createSocketMode({ workspace, ackLimitMs, pingEveryMs });
  let carrier: Carrier = socketMode.carry;
  const { deliveries, deliver } = createDeliveries(feed, () => carrier);
  const responseUrls = createResponseUrls(workspace);
  const acts = createActs({
    workspace,
    commands: options.commands ?? ['/spark'],
    responseUrls,
    deliver,
    answerIn: async ({ ack = {} }, run) => {
      await webApi.answer({ method: 'ack', args: ack }, () => (run(ack), {}));
    },
  });
  const page = createPage({ workspace, reader, acts, sockets: socketMode.open });
  const server = await startServer({ workspace, webApi, responseUrls, socketMode, page }, options.port ?? 0);
  const sight = createSight(workspace, reader);

  return {
    ...acts,
    ...sight,
    url: `${workspace.baseUrl}/`,
    apiUrl: `${workspace.baseUrl}/api/`,
    botToken,
    appToken,
    signingSecret,
    apiCalls,
    deliveries,
    violations,
    on: feed.listen,
    until: (predicate, limitMs = UNTIL_MS) => until(feed, predicate, limitMs, sight.transcript),
    fault: faults.add,
    clearFaults: faults.clear,
    sockets: socketMode.open,
    disconnect: socketMode.disconnect,
    dropSockets: socketMode.drop,
    deliverTo(target) {
      carrier = target === 'socket' ? socketMode.carry : createHttpMode({ url: target.url, signingSecret, ackLimitMs });
    },
    async stop() {
      await socketMode.stop();
      await server.stop();
    },
  };
}
