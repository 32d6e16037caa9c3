import type { FetchFunction } from '@slack/web-api';
import { OperatorError } from '../errors.ts';
import { isSlacks } from './slack-url.ts';

/** As Slack's clients call it, with all of an answer that there is. */
export type Send = (...request: Parameters<FetchFunction>) => Promise<Response>;

/**
 * fetch for Slack's clients: whatever a payload names as its response_url, or an answer as the place of an upload, nothing
 * goes to another host than Slack's. `slackApiUrl`: a local Slack, whose own host counts too. Redirects are not followed.
 */
export function slackFetch(slackApiUrl: string | undefined): Send {
  return async (url, init) => {
    const { origin } = new URL(url);
    if (!isSlacks(String(url)) && (slackApiUrl === undefined || origin !== new URL(slackApiUrl).origin)) {
      throw new OperatorError('config', `${origin} is not Slack's: nothing was sent there`, {
        hint: "Somebody gave sparkops a false address in Slack's name. Who knows the signing secret?",
      });
    }
    return fetch(url, { ...init, redirect: 'error' });
  };
}
