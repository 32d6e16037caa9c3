import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { expect, test } from 'vitest';
import { problemOf } from '../../src/bot/slack-problem.ts';

const platform = (error: string) => new WebAPIPlatformError({ ok: false, error });
const network = (code: string) =>
  new WebAPIRequestError(new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) }));

test.each([
  [new WebAPIRateLimitedError(7), { kind: 'rate-limited', waitMs: 7_000 }],
  [platform('ratelimited'), { kind: 'rate-limited', waitMs: 30_000 }],
  [platform('message_not_found'), { kind: 'gone' }],
  [platform('thread_not_found'), { kind: 'gone' }],
  [platform('not_in_channel'), { kind: 'no-channel' }],
  [platform('is_archived'), { kind: 'no-channel' }],
  [platform('invalid_blocks'), { kind: 'blocks-refused' }],
  [platform('msg_blocks_too_long'), { kind: 'blocks-refused' }],
  [platform('fatal_error'), { kind: 'unknown' }],
  [platform('token_revoked'), { kind: 'not-sent' }],
  [platform('something_new'), { kind: 'refused' }],
  [new WebAPIHTTPError(502, 'Bad Gateway', {}), { kind: 'unknown' }],
  [network('ECONNREFUSED'), { kind: 'not-sent' }],
  [network('ENOTFOUND'), { kind: 'not-sent' }],
  [network('ECONNRESET'), { kind: 'unknown' }],
  [
    new WebAPIRequestError(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    { kind: 'unknown' },
  ],
  [new Error('of another kind'), { kind: 'unknown' }],
])('%s', (error, problem) => {
  expect(problemOf(error)).toEqual(problem);
});
