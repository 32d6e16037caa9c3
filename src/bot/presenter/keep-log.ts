import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment } from '../../jobs/deployment.ts';
import type { FullLog } from '../../jobs/jobs.ts';
import { maskSecrets } from '../../mask.ts';
import { logTail } from '../cards/log-tail.ts';
import { textOnly } from '../cards/message.ts';
import { problemOf, slackWord } from '../slack-problem.ts';
import { deliver, waitMs } from './deliver.ts';
import { PROGRESS } from './lane.ts';
import type { Presentation } from './presentation.ts';

/** Slack shows a snippet of up to 1 MB. Masking may make it longer, but not by so much. */
const LOG_BYTES = 900_000;
const TRIES = 3;
/** No event has this number. */
const LOG_SEQ = 0;

/**
 * Puts the engine's log into the thread when a run has failed or a model has died: as a file, or its last lines where Slack
 * takes no file. At most once; a process that ends in between leaves it to `/spark logs`. Rejects when aborted.
 */
export async function keepLog(presentation: Presentation): Promise<never> {
  const { watch, signal, standing } = presentation;
  for (;;) {
    const seen = watch.version;
    const { record } = watch;
    const wanted = wantsLog(record) && standing.facts.logOf !== record.endedAt;
    const told = isTold(presentation);
    if (wanted && told) {
      await standing.change({ logOf: record.endedAt ?? '' }, signal);
      await share(presentation, record);
    }
    if (watch.version === seen && (told || !wanted)) await presentation.shown({ log: seen });
    await watch.changed(seen, signal);
  }
}

/** The end is in the thread: the log comes below it. */
function isTold({ watch, standing }: Presentation): boolean {
  return standing.facts.cardTs !== '' && watch.events.every((event) => event.seq <= standing.facts.seq);
}

/** Only an engine that was started has a log. */
function wantsLog({ state, run, phases }: Deployment): boolean {
  if (run !== 'deploy' || (state !== 'failed' && state !== 'died')) return false;
  return phases.some(({ name, state: phase }) => name === 'serve' && phase !== 'waiting');
}

async function share(presentation: Presentation, record: Deployment): Promise<void> {
  const { uid, jobs, lanes, log, slack, signal, standing } = presentation;
  const found = await jobs.fullLog(uid, LOG_BYTES).catch((error: unknown) => {
    log.warn({ err: error, uid }, 'The full log could not be read');
    return undefined;
  });
  if (!found) return;
  const { channel, cardTs } = standing.facts;
  const lane = lanes.posts(channel);
  const file = asFile(record, found);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    await lane.turn(() => PROGRESS, signal);
    try {
      return await slack.upload({ channel, threadTs: cardTs, ...file });
    } catch (error) {
      const problem = problemOf(error);
      log.warn({ uid, channel, problem: problem.kind, why: slackWord(error) }, 'The full log was not taken');
      // It may be there: a second copy of a megabyte would be worse than none.
      if (problem.kind === 'unknown') return;
      if (problem.kind === 'rate-limited') lane.pause(problem.waitMs);
      else if (problem.kind !== 'not-sent' || isWithoutScope(error)) break;
      else await delay(waitMs(attempt), undefined, { signal });
    }
  }
  await postTail(presentation, record, found);
}

function isWithoutScope(error: unknown): boolean {
  return slackWord(error) === 'missing_scope';
}

async function postTail(presentation: Presentation, record: Deployment, found: FullLog): Promise<void> {
  const { lanes, signal, standing } = presentation;
  const { channel, cardTs } = standing.facts;
  const message = logTail(record, { node: found.node, lines: maskSecrets(found.text).trimEnd().split('\n') });
  await lanes.posts(channel).turn(() => PROGRESS, signal);
  await deliver(presentation, {
    post: { channel, threadTs: cardTs, mark: { deployment: presentation.uid, seq: LOG_SEQ } },
    versions: [message, textOnly(message)],
    since: record.endedAt ?? record.createdAt,
    urgency: PROGRESS,
    tries: 0,
    keepTries: async () => {},
    blindRepeats: 0,
  });
}

function asFile({ recipe, number }: Deployment, { node, text, whole }: FullLog) {
  const masked = Buffer.from(maskSecrets(text)).subarray(-LOG_BYTES).toString();
  return {
    filename: `${recipe}-${number}-${node}.log`,
    title: `${recipe} #${number}: the engine's log on ${node}${whole ? '' : ', its end'}`,
    text: masked,
  };
}
