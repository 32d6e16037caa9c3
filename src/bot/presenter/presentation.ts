import type { Logger } from 'pino';
import type { RightsConfig } from '../../config/rights.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Slack } from '../slack.ts';
import type { Lanes } from './lanes.ts';
import type { Standing } from './standing.ts';
import type { Watch } from './watch.ts';

export type PresentJobs = Pick<
  Jobs,
  'find' | 'fullLog' | 'events' | 'view' | 'present' | 'presented' | 'unpresented' | 'onChange' | 'take'
>;

/** What the loops of one deployment share. */
export interface Presentation {
  uid: string;
  jobs: Pick<PresentJobs, 'fullLog'>;
  slack: Slack;
  lanes: Lanes;
  log: Logger;
  standing: Standing;
  watch: Watch;
  /** Who has which right, as the configuration says now. */
  rights: () => Promise<RightsConfig>;
  /** Aborted when another process presents it, when it is done, or at a stop. */
  signal: AbortSignal;
  /** All is in Slack up to this version of the watch: in the card, in the request for approval, in the thread, or as a file. */
  shown: (upTo: { card?: number; request?: number; replies?: number; log?: number }) => Promise<void>;
  /** Nobody can be reached: present no more. */
  giveUp: () => void;
}

/** The channel can't be written to: who asked is told directly; when that fails too, only the log is. */
export async function leaveChannel(
  { standing, watch, log, uid, signal, giveUp }: Presentation,
  channel: string,
): Promise<void> {
  const { facts } = standing;
  if (facts.channel !== channel) return;
  if (facts.direct || facts.user === '') {
    log.warn(
      { uid, channel },
      'Slack lets me post neither in the channel nor to who asked: nothing more is shown of this run',
    );
    giveUp();
    return;
  }
  log.warn({ uid, channel }, 'Slack does not let me post in the channel: the card goes to who asked');
  await standing.change(
    {
      channel: facts.user,
      direct: true,
      cardTs: '',
      firstTs: '',
      askTs: '',
      askMark: 0,
      cardTries: 0,
      askTries: 0,
      replyTries: 0,
    },
    signal,
  );
  watch.bump();
}
