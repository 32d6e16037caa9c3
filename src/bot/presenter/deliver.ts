import { setTimeout as delay } from 'node:timers/promises';
import type { Message } from '../cards/message.ts';
import { problemOf, slackWord } from '../slack-problem.ts';
import type { Place, Post } from '../slack.ts';
import type { Urgency } from './lane.ts';
import type { Presentation } from './presentation.ts';

export interface Delivery {
  post: Omit<Post, 'message'>;
  /** From rich to bare: the next one when Slack refuses the blocks. */
  versions: readonly Message[];
  /** ISO 8601: it can't be in Slack for longer. */
  since: string;
  urgency: Urgency;
  /** Earlier posts of this mark whose outcome is not known. */
  tries: number;
  /** Written before each post, so that whoever comes next knows that it may be there. */
  keepTries: (tries: number) => Promise<void>;
  /** How often it may be posted again when Slack does not let us look. */
  blindRepeats: number;
}

export type Delivered =
  | { place: Place; version: number }
  /** It may be there, and nothing more can be done. */
  | 'assumed'
  | 'gone'
  | 'no-channel'
  | 'refused';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** Posts once: a post whose outcome is unknown is looked for before it is repeated. The first turn has been taken. */
export async function deliver(
  presentation: Pick<Presentation, 'slack' | 'lanes' | 'log' | 'signal' | 'uid'>,
  delivery: Delivery,
): Promise<Delivered> {
  const { slack, lanes, log, signal, uid } = presentation;
  const { post, versions, keepTries } = delivery;
  const lane = lanes.posts(post.channel);
  let { tries } = delivery;
  let version = 0;

  for (let attempt = 0; ; attempt++) {
    if (attempt > 0) await lane.turn(() => delivery.urgency, signal);
    try {
      if (tries > 0) {
        const found = await slack.find({ ...post, since: delivery.since });
        if (found === 'blind' && tries > delivery.blindRepeats) return 'assumed';
        if (found !== undefined && found !== 'blind') return { place: found, version };
      }
    } catch (error) {
      log.warn({ uid, why: slackWord(error) }, 'Slack could not be asked whether a post arrived');
      await backOff(error, attempt);
      continue;
    }

    const message = versions[version];
    if (!message) return 'refused';
    await keepTries(tries + 1);
    signal.throwIfAborted();
    try {
      return { place: await slack.post({ ...post, message }), version };
    } catch (error) {
      const problem = problemOf(error);
      log.warn({ uid, channel: post.channel, problem: problem.kind, why: slackWord(error) }, 'A post failed');
      if (problem.kind === 'unknown') tries++;
      else await keepTries(tries);
      if (problem.kind === 'blocks-refused') version++;
      else if (problem.kind === 'gone' || problem.kind === 'no-channel' || problem.kind === 'refused')
        return problem.kind;
      else await backOff(error, attempt);
    }
  }

  async function backOff(error: unknown, attempt: number): Promise<void> {
    const problem = problemOf(error);
    if (problem.kind === 'rate-limited') lane.pause(problem.waitMs);
    else await delay(waitMs(attempt), undefined, { signal });
  }
}

/** Doubles up to half a minute, with a fifth of chance in it. */
export function waitMs(attempt: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt, 10)) * (0.9 + Math.random() * 0.2);
}
