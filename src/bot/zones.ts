import type { WebClient } from '@slack/web-api';
import { within } from '../within.ts';

const LIMIT_MS = 1_000;

/** The zones of Slack's profiles, asked once a person. Whom Slack doesn't tell of has the zone of this machine. */
export function zonesOver(client: WebClient): (user: string) => Promise<string> {
  const known = new Map<string, string>();
  return async (user) => {
    const zone = known.get(user);
    if (zone !== undefined) return zone;
    const answer = await within(LIMIT_MS, client.users.info({ user })).catch(() => undefined);
    const told = answer?.user?.tz;
    if (told === undefined || !isZone(told)) return ownZone();
    known.set(user, told);
    return told;
  };
}

export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
