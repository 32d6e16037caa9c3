import { WebAPIPlatformError, type WebClient } from '@slack/web-api';
import { OperatorError } from '../errors.ts';
import type { Places } from './places.ts';
import { within } from '../within.ts';

/** A slow Slack must not keep a deploy from starting. */
const LIMIT_MS = 3_000;

/** Reading needs membership just as posting does, and leaves no trace. Whatever else goes wrong, the deploy may go on. */
export function placesOver(client: WebClient, botName: () => string): Places {
  return {
    async canPost(channel) {
      if (channel.startsWith('D'))
        throw notHere('Here I can only answer you', 'Type it in a channel that I am in, where everyone sees the card.');
      try {
        await within(LIMIT_MS, client.conversations.history({ channel, limit: 1 }));
      } catch (error) {
        const word = error instanceof WebAPIPlatformError ? error.data.error : '';
        if (word === 'not_in_channel' || word === 'channel_not_found') {
          throw notHere(
            'I am not in this channel, so nobody would see the card',
            `Type /invite @${botName()} here, then the command again.`,
          );
        }
      }
    },
  };
}

function notHere(what: string, hint: string): OperatorError {
  return new OperatorError('usage', `${what}.`, { hint });
}
