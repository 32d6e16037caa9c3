import type { FetchFunction } from '@slack/web-api';
import type { Send } from './slack-fetch.ts';

export interface SlackCall {
  /** `chat.update`, ..., or `response_url`: what such a URL ends with is a secret of its own. */
  method: string;
  outcome: 'ok' | 'refused' | 'rate_limited' | 'http_error' | 'unreachable';
}

/** `send`, telling of each call and how it ended. */
export function countedFetch(tell: (call: SlackCall) => void, send: Send): FetchFunction {
  return async (url, init) => {
    const api = /\/api\/([\w.]+)$/.exec(new URL(url).pathname)?.[1];
    const method = api ?? 'response_url';
    try {
      const response = await send(url, init);
      if (response.status === 429) tell({ method, outcome: 'rate_limited' });
      else if (!response.ok) tell({ method, outcome: 'http_error' });
      else if (api === undefined) tell({ method, outcome: 'ok' });
      else
        void isOk(response.clone()).then(
          (ok) => tell({ method, outcome: ok ? 'ok' : 'refused' }),
          () => tell({ method, outcome: 'http_error' }),
        );
      return response;
    } catch (error) {
      tell({ method, outcome: 'unreachable' });
      throw error;
    }
  };
}

async function isOk(response: Response): Promise<boolean> {
  const body: unknown = await response.json();
  return typeof body === 'object' && body !== null && 'ok' in body && body.ok === true;
}
