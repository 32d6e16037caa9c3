import { OperatorError } from '../errors.ts';
import type { Deployment } from '../jobs/deployment.ts';
import type { AuditEntry, Jobs } from '../jobs/jobs.ts';
import { OPERATOR, OPS_CHANNEL } from '../local/slack/people.ts';
import type { LocalSlack } from '../local/slack/local-slack.ts';
import { FAULTS, type FaultName } from '../local/sparks/faults.ts';
import { startWorkplace, type Workplace } from '../local/workplace.ts';
import { createLog } from '../log.ts';
import { startSparkops } from '../sparkops.ts';
import { printConversation } from './transcript.ts';

export interface DemoOptions {
  /** One command to carry out, instead of staying up. */
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

/** The real bot on a local Slack and two pretend Sparks. Returns 0 when the command was carried out, else 1. */
export async function demo(options: DemoOptions): Promise<number> {
  const { say, write } = options;
  if (options.listFaults) return listFaults(write);

  const workplace = await startWorkplace({
    faults: options.faults.map(faultNamed),
    timeouts: TIMEOUTS,
    log: (line) => void process.stderr.write(`${line}\n`),
    ...(options.redisUrl === undefined ? {} : { redisUrl: options.redisUrl }),
  });
  try {
    const audit = listening<AuditEntry>();
    const sparkops = await startSparkops(settingsFor(workplace), {
      log: createLog(options.logLevel, process.stderr),
      onAudit: audit.tell,
    });
    const stopPrinting = printConversation(workplace.slack, write);
    try {
      if (say === undefined) return await stayUp(workplace.slack, write);
      const { carriedOut, deployment } = await carryOut(say, { slack: workplace.slack, jobs: sparkops.jobs, audit });
      if (options.json && deployment) write(JSON.stringify(deployment));
      return carriedOut ? 0 : 1;
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
  audit: Listening<AuditEntry>;
}

async function carryOut(
  text: string,
  { slack, jobs, audit }: Place,
): Promise<{ carriedOut: boolean; deployment?: Deployment }> {
  const decided = audit.next(ANSWER_LIMIT_MS, `No answer to ${text}`);
  await slack.say(OPERATOR, OPS_CHANNEL, text);
  const { decision, uid } = await decided;
  await slack.until(() => slack.ephemerals(OPERATOR).length > 0, TELL_LIMIT_MS);
  if (decision === 'refused' || uid === undefined) return { carriedOut: decision !== 'refused' };

  const deployment = await toldToTheEnd(uid, jobs);
  return { carriedOut: deployment.state === (deployment.run === 'stop' ? 'stopped' : 'serving'), deployment };
}

/** The record once it has ended and everything of it stands in the channel. */
async function toldToTheEnd(uid: string, jobs: Jobs): Promise<Deployment> {
  for (;;) {
    const changed = nextChange(uid, jobs);
    const [deployment, unpresented] = [await jobs.find(uid), await jobs.unpresented('slack')];
    if (deployment?.endedAt !== undefined && !unpresented.includes(uid)) return deployment;
    await changed;
  }
}

/** Also looks again every half second: that everything was told is no change of the record. */
function nextChange(uid: string, jobs: Jobs): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const stop = jobs.onChange((changed) => changed === uid && done());
    const timer = setTimeout(done, 500);
  });
}

async function stayUp(slack: LocalSlack, write: (text: string) => void): Promise<number> {
  write(`\nThe local Slack: ${slack.url}\nType there, for example: /spark deploy qwen35\nCtrl-C ends it.`);
  await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  return 0;
}

function settingsFor({ slack, redisUrl, configFolder }: Workplace) {
  return {
    configFolder,
    redisUrl,
    slack: { botToken: slack.botToken, appToken: slack.appToken, apiUrl: slack.apiUrl },
    secret: () => undefined,
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

interface Listening<T> {
  tell: (value: T) => void;
  next: (limitMs: number, otherwise: string) => Promise<T>;
}

function listening<T>(): Listening<T> {
  const waiting: ((value: T) => void)[] = [];
  return {
    tell: (value) => waiting.splice(0).forEach((resolve) => resolve(value)),
    next: (limitMs, otherwise) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(otherwise)), limitMs);
        waiting.push((value) => {
          clearTimeout(timer);
          resolve(value);
        });
      }),
  };
}
