import { userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { plainText } from '../bot/cards/plain-text.ts';
import { allCommands } from '../bot/commands/all.ts';
import { dispatch } from '../bot/dispatch.ts';
import { SLASH } from '../bot/grammar.ts';
import { standingWithoutSlack } from '../bot/permissions.ts';
import { SURFACE } from '../bot/places.ts';
import { ownZone } from '../bot/zones.ts';
import { readConfig } from '../config/load-config.ts';
import type { Config } from '../config/config.ts';
import { resolveCluster } from '../config/resolve-cluster.ts';
import { OperatorError } from '../errors.ts';
import type { Deployment, EndState } from '../jobs/deployment.ts';
import type { AgainRequest, Asker, Jobs, View } from '../jobs/jobs.ts';
import { startSparkops } from '../sparkops.ts';
import { followDeployment } from './follow-deployment.ts';

export interface SayOptions {
  /** As in Slack, with or without the slash command. */
  text: string | undefined;
  /** Slack user id: whose rights it has. */
  as: string | undefined;
  configFolder: string;
  redisUrl: string;
  log: Logger;
  write: (text: string) => void;
}

/** What begins a run, or ends one: it is followed to its end. */
const BEGINS = /^\s*(?:deploy|retry|restart|rollback|stop|stop-foreign|cancel)(?![\w-])/i;

/** Where nothing is shown but here. */
const OWN_SURFACE = 'cli';
const CONNECT_MS = 2_000;

/** Runs a command of Slack's without Slack. Returns 0 when it was answered, or carried out to its end; else 1. */
export async function say({ text, as, configFolder, redisUrl, log, write }: SayOptions): Promise<number> {
  if (text === undefined || as === undefined || !/^[UW][A-Z0-9]+$/.test(as)) {
    throw new OperatorError('usage', 'say takes one text, and the Slack user id that it is said as', {
      hint: 'For example: sparkops say "deploy qwen35 on spark" --as U0123ABCD',
    });
  }
  const config = await readConfig(configFolder);
  const sparkops = await startSparkops({ configFolder, redisUrl, operation: { telemetry: false } }, { log });
  const jobs = shownWhereItBelongs(sparkops.jobs, config);
  // The audit names who sat at the host, beside whose rights it was done with.
  const asker: Asker = { team: '', user: as, name: userInfo().username };
  try {
    await connected(sparkops.jobs);
    const commands = allCommands({ jobs, places: { canPost: async () => undefined }, now: () => new Date() });
    const words = text.trim().startsWith(SLASH) ? text.trim().slice(SLASH.length) : text;
    const caller = {
      asker,
      channel: '',
      ...standingWithoutSlack(config.sparkops, as),
      canOpen: false,
      zone: async () => ownZone(),
    };
    const options = { commands, jobs, rights: async () => config.sparkops, surface: OWN_SURFACE, log };
    const { message, decision, about } = await dispatch(words, caller, options);
    write(plainText(message.text));
    if (decision === 'refused') return 1;
    if (about === undefined) return 0;
    // A word about a request is said; what comes of it stands where the request does.
    if (!BEGINS.test(words)) return 0;
    const ended = await followDeployment(about.uid, { jobs, asker: as, write });
    await jobs.presented(about.uid, OWN_SURFACE);
    return ended !== undefined && ended.state === wantedEnd(words, ended) ? 0 : 1;
  } finally {
    await sparkops.stop();
  }
}

/** A store that is away is told of by the command itself. */
async function connected(jobs: Pick<Jobs, 'unpresented'>): Promise<void> {
  const end = performance.now() + CONNECT_MS;
  while (performance.now() < end) {
    if (await jobs.unpresented(OWN_SURFACE).catch(() => undefined)) return;
    await delay(25);
  }
}

/** Of a run: what was asked for. */
function wantedEnd(words: string, { run }: Deployment): EndState {
  if (/^\s*cancel\b/i.test(words)) return 'cancelled';
  return run === 'deploy' ? 'serving' : 'stopped';
}

/** Everybody sees it in the cluster's own channel; without one it is shown here alone. */
function shownWhereItBelongs(jobs: Jobs, config: Config): Jobs {
  function place(cluster: string | undefined, { user, team }: Asker): { surface: string; view: View } {
    const { channels } = resolveCluster(config, cluster === undefined ? {} : { name: cluster });
    const [channel] = channels;
    if (channel === undefined) return { surface: OWN_SURFACE, view: {} };
    return { surface: SURFACE, view: { channel, user, team } };
  }
  /** A number says its cluster too. */
  async function clusterOf({ number, cluster }: AgainRequest): Promise<string | undefined> {
    return number === undefined ? cluster : (await jobs.findByNumber(number))?.cluster;
  }
  return {
    ...jobs,
    deploy: async (request) => jobs.deploy({ ...request, ...place(request.cluster, request.by) }),
    stop: async (request) => jobs.stop({ ...request, ...place(request.cluster, request.by) }),
    restart: async (request) => jobs.restart({ ...request, ...place(await clusterOf(request), request.by) }),
    rollback: async (request) => jobs.rollback({ ...request, ...place(await clusterOf(request), request.by) }),
    stopForeign: async (request) => jobs.stopForeign({ ...request, ...place(request.cluster, request.by) }),
  };
}
