import { setTimeout as delay } from 'node:timers/promises';
import { approvalRequest } from '../bot/cards/approval-request.ts';
import { endMessage } from '../bot/cards/end-message.ts';
import { phaseName } from '../bot/cards/phases.ts';
import { plainText } from '../bot/cards/plain-text.ts';
import { threadReply } from '../bot/cards/thread-reply.ts';
import type { Deployment } from '../jobs/deployment.ts';
import type { DeploymentEvent } from '../jobs/events.ts';
import type { Jobs } from '../jobs/jobs.ts';

interface Following {
  jobs: Pick<Jobs, 'find' | 'events' | 'onChange'>;
  /** Slack user id. */
  asker: string;
  write: (text: string) => void;
}

/** What is looked at anyway: a change may be missed while the store is away. */
const LOOK_EVERY_MS = 1_000;

/** Prints what happens to a deployment until its run has ended. Each phase has its limit, and so has this. Undefined: it was forgotten. */
export async function followDeployment(
  uid: string,
  { jobs, asker, write }: Following,
): Promise<Deployment | undefined> {
  let seq = await beforeThisRun(uid, jobs);
  for (;;) {
    const changed = nextChange(uid, jobs);
    const record = await jobs.find(uid);
    const events = await jobs.events(uid, seq);
    seq = events.at(-1)?.seq ?? seq;
    for (const event of events) for (const line of linesOf(event, record)) write(line);
    if (!record) return undefined;
    if (record.endedAt !== undefined) {
      write(plainText(endMessage(record, asker).text));
      return record;
    }
    await changed;
  }
}

/** A deployment has several runs: its deploy, then its stop. What came before the last one was told then. */
async function beforeThisRun(uid: string, { events }: Pick<Jobs, 'events'>): Promise<number> {
  const admitted = (await events(uid, 0)).findLast(({ kind }) => kind === 'admitted');
  return admitted ? admitted.seq - 1 : 0;
}

function linesOf(event: DeploymentEvent, record: Deployment | undefined): readonly string[] {
  const { approval } = record ?? {};
  if (record && event.kind === 'approval-asked' && approval?.id === event.id) {
    return plainText(approvalRequest(record, approval, { deciders: [] }).text).split('\n');
  }
  if (event.kind === 'phase') {
    if (event.state === 'waiting') return [];
    return [`${phaseName(event.phase)}, ${event.state}${event.saw === undefined ? '' : `: ${event.saw}`}`];
  }
  const reply = threadReply([event]);
  return reply ? plainText(reply.text).split('\n') : [];
}

async function nextChange(uid: string, { onChange }: Pick<Jobs, 'onChange'>): Promise<void> {
  const over = new AbortController();
  const stop = onChange((changed) => {
    if (changed === uid) over.abort();
  });
  await delay(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
  stop();
}
