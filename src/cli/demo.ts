import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { OperatorError } from '../errors.ts';
import type { Deployment } from '../jobs/deployment.ts';
import type { AuditEntry, Jobs } from '../jobs/jobs.ts';
import type { LocalSlack } from '../local/slack/local-slack.ts';
import { OPERATOR, OPS_CHANNEL } from '../local/slack/people.ts';
import { FAULTS, type FaultName } from '../local/sparks/faults.ts';
import { startWorkplace, type Workplace } from '../local/workplace.ts';
import { createLog } from '../log.ts';
import type { Settings } from '../settings.ts';
import { startSparkops } from '../sparkops.ts';
import { printConversation } from './transcript.ts';

export interface DemoOptions {
  /** One slash command to carry out, instead of staying up. */
  say: string | undefined;
  /** The deployment's record as the last line. */
  json: boolean;
  faults: readonly string[];
  listFaults: boolean;
  redisUrl: string | undefined;
  logLevel: string;
  write: (text: string) => void;
}

/** Loading takes minutes on real Sparks and seconds here. */
const TIMEOUTS = { load: '45s', load_silence: '10s' };
const ANSWER_LIMIT_MS = 30_000;
const TELL_LIMIT_MS = 15_000;
const LOOK_EVERY_MS = 200;
const INTERRUPTED = 130;

/** The real bot on a local Slack and two pretend Sparks. Returns 0 when the command was carried out, else 1. */
export async function demo(options: DemoOptions): Promise<number> {
  const { say, write } = options;
  if (options.listFaults) return listFaults(write);
  if (say !== undefined && !say.startsWith('/'))
    throw new OperatorError('usage', `--say takes a slash command, not "${say}"`, {
      hint: 'For example: --say "/spark deploy qwen35"',
    });
  const faults = options.faults.map(faultNamed);
  // From here on things run that must be ended in order.
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);

  const workplace = await startWorkplace({
    faults,
    timeouts: TIMEOUTS,
    log: (line) => void process.stderr.write(`${line}\n`),
    ...(options.redisUrl === undefined ? {} : { redisUrl: options.redisUrl }),
  });
  try {
    const audits = new EventEmitter<{ audit: [AuditEntry] }>();
    const sparkops = await startSparkops(settingsFor(workplace), {
      log: createLog(options.logLevel, process.stderr),
      onAudit: (entry) => audits.emit('audit', entry),
    });
    const stopPrinting = printConversation(workplace.slack, write);
    try {
      if (say === undefined) return await stayUp(workplace.slack, interrupted, write);
      const place = { slack: workplace.slack, jobs: sparkops.jobs, audits };
      const outcome = await Promise.race([carryOut(say, place), interrupted.then(() => undefined)]);
      if (!outcome) return INTERRUPTED;
      if (options.json && outcome.deployment) write(JSON.stringify(outcome.deployment));
      return outcome.carriedOut ? 0 : 1;
    } finally {
      stopPrinting();
      await sparkops.stop();
    }
  } finally {
    await workplace.stop();
  }
}

interface Place {
  slack: LocalSlack;
  jobs: Jobs;
  audits: EventEmitter<{ audit: [AuditEntry] }>;
}

async function carryOut(
  text: string,
  { slack, jobs, audits }: Place,
): Promise<{ carriedOut: boolean; deployment?: Deployment }> {
  const decided = once(audits, 'audit', { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
  await slack.say(OPERATOR, OPS_CHANNEL, text);
  const [{ decision, uid }] = (await decided) as [AuditEntry];
  await slack.until(() => slack.ephemerals(OPERATOR).length > 0, TELL_LIMIT_MS);
  if (decision === 'refused' || uid === undefined) return { carriedOut: decision !== 'refused' };

  const deployment = await untilEnded(uid, jobs);
  await untilTold(uid, jobs);
  return { carriedOut: deployment.state === (deployment.run === 'stop' ? 'stopped' : 'serving'), deployment };
}

/** Each phase has its limit, and so has this. */
async function untilEnded(uid: string, jobs: Jobs): Promise<Deployment> {
  for (;;) {
    const deployment = await jobs.find(uid);
    if (deployment?.endedAt !== undefined) return deployment;
    await delay(LOOK_EVERY_MS);
  }
}

/** Until everything of it stands in the channel, within a limit: Slack may be slow. */
async function untilTold(uid: string, jobs: Jobs): Promise<void> {
  const end = performance.now() + TELL_LIMIT_MS;
  while ((await jobs.unpresented('slack')).includes(uid) && performance.now() < end) await delay(LOOK_EVERY_MS);
}

async function stayUp(
  slack: LocalSlack,
  interrupted: Promise<unknown>,
  write: (text: string) => void,
): Promise<number> {
  write(`\nThe local Slack: ${slack.url}\nType there, for example: /spark deploy qwen35\nCtrl-C ends it.`);
  await interrupted;
  return 0;
}

function settingsFor({ slack, redisUrl, configFolder }: Workplace): Settings {
  return {
    configFolder,
    redisUrl,
    slack: {
      botToken: slack.botToken,
      way: { kind: 'socket', appToken: slack.appToken },
      apiUrl: slack.apiUrl,
    },
    worker: { secret: () => undefined },
    operation: {},
  };
}

function listFaults(write: (text: string) => void): number {
  const width = Math.max(...Object.keys(FAULTS).map((name) => name.length));
  for (const [name, summary] of Object.entries(FAULTS)) write(`${name.padEnd(width)}  ${summary}`);
  return 0;
}

function faultNamed(name: string): FaultName {
  const known = Object.keys(FAULTS).find((fault): fault is FaultName => fault === name);
  if (known) return known;
  throw new OperatorError('usage', `There is no fault "${name}"`, {
    hint: `The faults: ${Object.keys(FAULTS).join(', ')}`,
  });
}
