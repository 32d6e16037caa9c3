import type { Logger } from 'pino';
import type { Jobs } from '../jobs/jobs.ts';
import { TELL_MS, type Taken } from '../jobs/notices.ts';
import { within } from '../within.ts';
import { noticeMessage } from './cards/notice.ts';
import { textOnly } from './cards/message.ts';
import { deliver } from './presenter/deliver.ts';
import { END } from './presenter/lane.ts';
import { createLanes, type Lanes } from './presenter/lanes.ts';
import type { Slack } from './slack.ts';

export interface NoticesOptions {
  jobs: Pick<Jobs, 'notices' | 'take'>;
  slack: Slack;
  now: () => Date;
  log: Logger;
}

type Telling = Omit<NoticesOptions, 'jobs'> & { lanes: Lanes; stop: AbortSignal };

const LOOK_EVERY_MS = 2_000;
const STOP_LIMIT_MS = 1_500;
/** What nobody could be told for so long is told no more. */
const STALE_MS = 24 * 3_600_000;

/** Posts each notice that is due once. Any number of processes may run it. */
export function startNotices({ jobs, ...options }: NoticesOptions): { stop: () => Promise<void> } {
  const { log } = options;
  const stopping = new AbortController();
  const telling = { ...options, lanes: createLanes(jobs), stop: stopping.signal };
  const active = new Set<Promise<void>>();
  let looking = false;

  async function look(): Promise<void> {
    if (looking || stopping.signal.aborted) return;
    looking = true;
    try {
      for (const taken of await jobs.notices.take()) {
        const work = tell(taken, telling)
          .catch((error: unknown) => {
            if (!stopping.signal.aborted) log.warn({ err: error, notice: taken.notice.id }, 'Not told yet; again soon');
          })
          .finally(() => active.delete(work));
        active.add(work);
      }
    } catch (error) {
      log.debug({ err: error }, 'The store does not say what people are to be told; I try again');
    } finally {
      looking = false;
    }
  }

  const forget = jobs.notices.onDue(() => void look());
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  void look();
  return {
    async stop() {
      clearInterval(timer);
      forget();
      stopping.abort();
      await within(STOP_LIMIT_MS, Promise.all(active));
    },
  };
}

/** In its channel; where Slack does not let me post, to whom it concerns. */
async function tell(taken: Taken, telling: Telling): Promise<void> {
  const { now, log } = telling;
  const { notice } = taken;
  const stale = Date.parse(notice.due) < now().getTime() - STALE_MS;
  const message = stale ? undefined : noticeMessage(notice, now());
  if (message) {
    const people = notice.mention.map(({ user }) => user);
    const places = notice.channel === undefined ? people : [notice.channel];
    for (const channel of places) {
      const delivered = await post(channel, message, taken, telling);
      if (delivered !== 'no-channel') continue;
      log.warn({ notice: notice.id, channel }, 'Slack does not let me post there: whom it concerns is told directly');
      for (const user of people) if (user !== channel) await post(user, message, taken, telling);
    }
  }
  await taken.told();
}

async function post(
  channel: string,
  message: NonNullable<ReturnType<typeof noticeMessage>>,
  { notice, tries, keepTries }: Taken,
  { slack, lanes, log, stop }: Telling,
): Promise<string> {
  // A person is posted to by id, and nothing can be looked for there: at most one repeat.
  const blind = /^[UW]/.test(channel);
  if (blind && tries > 1) return 'assumed';
  const signal = AbortSignal.any([stop, AbortSignal.timeout(TELL_MS)]);
  await lanes.posts(channel).turn(() => END, signal);
  const delivered = await deliver(
    { uid: notice.id, slack, lanes, log, signal },
    {
      post: { channel, mark: { deployment: `notice ${notice.id} ${notice.due}`, seq: 1 } },
      versions: [message, textOnly(message)],
      since: notice.due,
      urgency: END,
      tries: blind ? 0 : tries,
      keepTries: (count) => keepTries(blind ? tries + count : count),
      blindRepeats: 1,
    },
  );
  if (delivered === 'refused') log.error({ notice: notice.id, channel }, 'Slack refuses what people were to be told');
  return typeof delivered === 'string' ? delivered : 'posted';
}
