import type { Cluster } from '../config/cluster-file.ts';
import type { Config } from '../config/config.ts';
import { isSame } from './deployment.ts';
import type { Held } from './hold.ts';
import type { Hold, HoldRequest, ReleaseRequest } from './hold-rules.ts';
import type { Notices } from './notices.ts';

interface Parts {
  notices: Notices;
  config: () => Promise<Config>;
  now: () => Date;
}

/** Before the end; of a short one, in its last quarter. */
const REMIND_MS = 15 * 60_000;
const ALL = '*';

/** Reminds who put it up before it ends, and tells the clusters' channels where it was not typed. */
export async function tellOfHold(
  parts: Parts,
  held: Held,
  { channel: typed }: Pick<HoldRequest, 'channel'>,
  cluster: Cluster | undefined,
): Promise<void> {
  const { notices, now } = parts;
  await remind(notices, held.hold, cluster, now());
  for (const channel of await elsewhere(parts, typed, cluster)) {
    await notices.tell({
      id: `hold:${held.cluster ?? ALL}:${channel}`,
      due: now().toISOString(),
      channel,
      mention: [],
      body: { kind: 'hold', ...held },
    });
  }
}

/** In the cluster's channel, or where the hold was asked for. */
export async function remind(notices: Notices, hold: Hold, cluster: Cluster | undefined, now: Date): Promise<void> {
  const end = Date.parse(hold.until);
  const before = Math.min(REMIND_MS, Math.max(0, end - now.getTime()) / 4);
  await notices.tell({
    id: `hold-ends:${cluster?.name ?? ALL}`,
    due: new Date(end - before).toISOString(),
    ...where(cluster?.channels[0] ?? hold.channel),
    mention: [hold.by],
    body: { kind: 'hold-ends', ...(cluster && { cluster: cluster.name }), hold },
  });
}

/** The reminder is no longer due. Everybody is told where the answer was not read, and with them who had put it up. */
export async function tellOfRelease(
  parts: Parts,
  held: Held,
  { by, channel: typed }: Pick<ReleaseRequest, 'by' | 'channel'>,
  cluster: Cluster | undefined,
): Promise<void> {
  const { notices, now } = parts;
  const { hold } = held;
  await notices.withdraw(`hold-ends:${held.cluster ?? ALL}`);
  const overruled = !isSame(hold.by, by);
  const homeless = overruled && cluster?.channels.length === 0 && hold.channel !== typed;
  for (const channel of homeless ? [hold.channel] : await elsewhere(parts, typed, cluster)) {
    await notices.tell({
      id: `hold-ended:${held.cluster ?? ALL}:${channel ?? ''}:${hold.at}`,
      due: now().toISOString(),
      ...where(channel),
      mention: overruled ? [hold.by] : [],
      body: { kind: 'hold-ended', ...held, by: { team: by.team, user: by.user } },
    });
  }
}

/** The first channel of each cluster that it concerns, without the one where everybody has read the answer. */
async function elsewhere(
  { config }: Parts,
  typed: string | undefined,
  cluster: Cluster | undefined,
): Promise<readonly string[]> {
  const clusters = cluster === undefined ? [...(await config()).clusters.values()] : [cluster];
  const homes = clusters.flatMap(({ channels }) =>
    typed !== undefined && channels.includes(typed) ? [] : channels.slice(0, 1),
  );
  return [...new Set(homes)];
}

function where(channel: string | undefined): { channel?: string } {
  return channel === undefined || channel === '' ? {} : { channel };
}
