import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';

export type Problem =
  /** Definitely not done; may be tried again after `waitMs`. */
  | { kind: 'rate-limited'; waitMs: number }
  | { kind: 'not-sent' }
  /** May have been done. */
  | { kind: 'unknown' }
  | { kind: 'blocks-refused' }
  /** The message, or the thread, is no more. */
  | { kind: 'gone' }
  /** We can't write in that channel. */
  | { kind: 'no-channel' }
  /** Trying the same again can't help. */
  | { kind: 'refused' };

export function problemOf(error: unknown): Problem {
  if (error instanceof WebAPIRateLimitedError) return { kind: 'rate-limited', waitMs: error.retryAfter * 1_000 };
  if (error instanceof WebAPIPlatformError) return ofPlatform(error.data.error);
  if (error instanceof WebAPIHTTPError) return { kind: 'unknown' };
  if (error instanceof WebAPIRequestError)
    return NEVER_LEFT.has(codeOf(error.original)) ? { kind: 'not-sent' } : { kind: 'unknown' };
  return { kind: 'unknown' };
}

/** For the log: Slack's own word for it. */
export function slackWord(error: unknown): string {
  if (error instanceof WebAPIPlatformError) return error.data.error;
  return error instanceof Error ? error.message : 'no reason given';
}

function ofPlatform(word: string): Problem {
  if (GONE.has(word)) return { kind: 'gone' };
  if (NO_CHANNEL.has(word)) return { kind: 'no-channel' };
  if (BLOCKS.has(word)) return { kind: 'blocks-refused' };
  if (UNSURE.has(word)) return { kind: 'unknown' };
  if (WRONG_TOKEN.has(word)) return { kind: 'not-sent' };
  if (word === 'ratelimited' || word === 'rate_limited') return { kind: 'rate-limited', waitMs: 30_000 };
  return { kind: 'refused' };
}

const GONE = new Set([
  'message_not_found',
  'thread_not_found',
  'cant_update_message',
  'edit_window_closed',
  'cannot_reply_to_message',
  'restricted_action_thread_locked',
]);
const NO_CHANNEL = new Set([
  'not_in_channel',
  'channel_not_found',
  'is_archived',
  'messages_tab_disabled',
  'restricted_action',
  'restricted_action_read_only_channel',
  'restricted_action_non_threadable_channel',
]);
const BLOCKS = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_too_long',
  'block_mismatch',
  'invalid_arguments',
]);
const UNSURE = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
]);
/** What Slack says of a token that it doesn't take. */
export const WRONG_TOKEN: ReadonlySet<string> = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'not_allowed_token_type',
  'missing_scope',
  'user_removed_from_team',
  'team_disabled',
  'no_permission',
]);
const NEVER_LEFT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** fetch wraps the system's error as a cause. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return codeOf(error.cause);
}
