import { createHmac } from 'node:crypto';
import type { Carrier, Parcel } from './delivery.ts';
import { readJson } from './http.ts';
import type { JsonObject } from './json.ts';

export interface HttpModeOptions {
  url: string;
  signingSecret: string;
  ackLimitMs: number;
}

/** Delivers to a URL, signed as Slack signs. */
export function createHttpMode({ url, signingSecret, ackLimitMs }: HttpModeOptions): Carrier {
  return async (_id, parcel) => {
    const { body, contentType } = packed(parcel);
    try {
      const response = await fetch(url, {
        method: 'POST',
        body,
        signal: AbortSignal.timeout(ackLimitMs),
        headers: {
          accept: 'application/json,*/*',
          'content-type': contentType,
          'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
          ...signature(body, signingSecret),
        },
      });
      const text = await response.text();
      if (!response.ok) return { status: 'http_error', httpStatus: response.status };
      return { status: 'acked', httpStatus: response.status, ack: readAck(text, response.headers.get('content-type')) };
    } catch (error) {
      const late = error instanceof Error && error.name === 'TimeoutError';
      return { status: late ? 'timeout' : 'dispatch_failed' };
    }
  };
}

/** The headers that prove that a request comes from Slack. */
export function signature(
  body: string,
  secret: string,
  seconds = Math.floor(Date.now() / 1000),
): Record<string, string> {
  const hash = createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': String(seconds), 'x-slack-signature': `v0=${hash}` };
}

// Bolt takes the form's content type only without a charset.
function packed({ kind, payload }: Parcel): { body: string; contentType: string } {
  const form = 'application/x-www-form-urlencoded';
  if (kind === 'events_api') return { body: JSON.stringify(payload), contentType: 'application/json' };
  if (kind === 'interactive') {
    return { body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString(), contentType: form };
  }
  const fields = new URLSearchParams();
  for (const [key, value] of Object.entries(payload)) fields.set(key, String(value));
  return { body: fields.toString(), contentType: form };
}

function readAck(text: string, contentType: string | null): JsonObject {
  if (text === '') return {};
  return contentType?.includes('json') ? readJson(text) : { text };
}
