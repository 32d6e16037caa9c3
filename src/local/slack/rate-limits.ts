import { textIn, type JsonObject } from './json.ts';

const PER_MINUTE = { 1: 1, 2: 20, 3: 50, 4: 100 };
const TIERS: Record<string, keyof typeof PER_MINUTE> = {
  'apps.connections.open': 3,
  'chat.delete': 3,
  'chat.postEphemeral': 4,
  'chat.update': 3,
  'conversations.history': 3,
  'conversations.info': 3,
  'conversations.open': 3,
  'conversations.replies': 3,
  'files.completeUploadExternal': 4,
  'files.getUploadURLExternal': 4,
  'reactions.add': 3,
  'usergroups.list': 2,
  'usergroups.users.list': 2,
  'users.info': 4,
  'views.open': 4,
  'views.push': 4,
  'views.update': 4,
};
const MINUTE = 60_000;
const POST_BURST = 5;
const POST_EVERY_MS = 1_000;

/** Seconds to wait before the call is allowed; 0 when it is, and is then counted. */
export type RateLimits = (method: string, args: JsonObject) => number;

export function createRateLimits(now: () => number): RateLimits {
  const calls = new Map<string, number[]>();
  const channels = new Map<string, { tokens: number; at: number }>();

  return (method, args) => {
    if (method === 'chat.postMessage') return waitForChannel(textIn(args, 'channel') ?? '');
    const tier = TIERS[method];
    return tier === undefined ? 0 : waitForTier(method, PER_MINUTE[tier]);
  };

  /** Per method and workspace, over a sliding minute. */
  function waitForTier(method: string, most: number): number {
    const recent = (calls.get(method) ?? []).filter((at) => now() - at < MINUTE);
    calls.set(method, recent);
    const oldest = recent[0];
    if (oldest === undefined || recent.length < most) {
      recent.push(now());
      return 0;
    }
    return wholeSeconds(oldest + MINUTE - now());
  }

  /** About one a second and channel, with short bursts. */
  function waitForChannel(channel: string): number {
    const bucket = channels.get(channel) ?? { tokens: POST_BURST, at: now() };
    const tokens = Math.min(POST_BURST, bucket.tokens + (now() - bucket.at) / POST_EVERY_MS);
    const allowed = tokens >= 1;
    channels.set(channel, { tokens: allowed ? tokens - 1 : tokens, at: now() });
    return allowed ? 0 : wholeSeconds((1 - tokens) * POST_EVERY_MS);
  }
}

function wholeSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}
