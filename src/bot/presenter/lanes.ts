import type { Jobs } from '../../jobs/jobs.ts';
import { Lane } from './lane.ts';

export interface Lanes {
  edits: Lane;
  posts: (channel: string) => Lane;
  poke: () => void;
}

// chat.update: 50 a minute for the whole workspace. Ends always find a token; progress leaves three.
const EDITS = { perMinute: 45, burst: 5 };
const EDIT_RESERVES = { 0: 0, 1: 1, 2: 3 };
// chat.postMessage: about one a second in a channel. An end finds a token that replies leave.
const POSTS = { perMinute: 60, burst: 3 };
const POST_RESERVES = { 0: 0, 1: 0, 2: 1 };

/** The buckets are shared by all processes; the order of those who wait is kept in each. */
export function createLanes(jobs: Pick<Jobs, 'take'>): Lanes {
  const posts = new Map<string, Lane>();
  const edits = new Lane({
    take: (reserve) => jobs.take('slack-edits', { ...EDITS, reserve }),
    reserves: EDIT_RESERVES,
  });
  return {
    edits,
    posts: (channel) => {
      const lane =
        posts.get(channel) ??
        new Lane({
          take: (reserve) => jobs.take(`slack-posts-${channel}`, { ...POSTS, reserve }),
          reserves: POST_RESERVES,
        });
      posts.set(channel, lane);
      return lane;
    },
    poke: () => {
      edits.poke();
      for (const lane of posts.values()) lane.poke();
    },
  };
}
