import type { Asker, Jobs, View } from '../jobs/jobs.ts';

/** The name under which jobs keeps what belongs to Slack. */
export const SURFACE = 'slack';

export interface Places {
  /** Rejects with what to do when a card could not be posted there. */
  canPost: (channel: string) => Promise<void>;
}

/** The view that an admission stores: where it was asked, and who to mention. */
export function askedIn(channel: string, asker: Asker): View {
  return { channel, user: asker.user, team: asker.team };
}

/** A stop's card stands where the deploy's does. */
export async function cardChannel(jobs: Pick<Jobs, 'view'>, uid: string, asked: string): Promise<string> {
  const view = await jobs.view(uid, SURFACE).load();
  return typeof view?.['channel'] === 'string' ? view['channel'] : asked;
}
