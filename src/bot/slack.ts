import { WebAPIPlatformError, type WebClient } from '@slack/web-api';
import type { Message } from './cards/message.ts';

/** Stands in a post's metadata: by it a post is found again whose answer never came. */
interface Mark {
  deployment: string;
  seq: number;
}

export interface Place {
  channel: string;
  ts: string;
}

export interface Post {
  channel: string;
  message: Message;
  mark: Mark;
  /** ts of the card, for a reply in its thread. */
  threadTs?: string;
  /** Shows the reply in the channel too. */
  broadcast?: boolean;
}

interface Upload {
  channel: string;
  /** ts of the card. */
  threadTs: string;
  filename: string;
  title: string;
  /** Less than 1 MB. */
  text: string;
}

/** What the presenter does in Slack. `problemOf` reads its rejections. */
export interface Slack {
  post: (post: Post) => Promise<Place>;
  edit: (place: Place, message: Message) => Promise<void>;
  /** As a snippet in a thread. */
  upload: (upload: Upload) => Promise<void>;
  /** A post of ours by its mark, at or after `since` (ISO 8601). 'blind': Slack does not let us look. */
  find: (where: {
    channel: string;
    threadTs?: string;
    mark: Mark;
    since: string;
  }) => Promise<Place | undefined | 'blind'>;
}

const EVENT_TYPE = 'sparkops';
/** Slack's clock may differ from ours. */
const SKEW_SECONDS = 120;
const PAGES = 5;

export function slackOver(client: WebClient): Slack {
  return {
    async post({ channel, message, mark, threadTs, broadcast }) {
      const content = {
        channel,
        ...message,
        metadata: { event_type: EVENT_TYPE, event_payload: { ...mark } },
        unfurl_links: false,
        unfurl_media: false,
      };
      const answer = await client.chat.postMessage(
        threadTs === undefined ? content : { ...content, thread_ts: threadTs, reply_broadcast: broadcast ?? false },
      );
      return { channel: answer.channel ?? channel, ts: answer.ts ?? '' };
    },

    async edit({ channel, ts }, message) {
      await client.chat.update({ channel, ts, ...message });
    },

    async upload({ channel, threadTs, filename, title, text }) {
      await client.filesUploadV2({
        channel_id: channel,
        thread_ts: threadTs,
        filename,
        title,
        content: text,
        snippet_type: 'text',
      });
    },

    async find({ channel, threadTs, mark, since }) {
      const oldest = String(Math.floor(Date.parse(since) / 1_000) - SKEW_SECONDS);
      let cursor = '';
      for (let page = 0; page < PAGES; page++) {
        const options = {
          channel,
          oldest,
          limit: 200,
          include_all_metadata: true,
          ...(cursor === '' ? {} : { cursor }),
        };
        try {
          const answer =
            threadTs === undefined
              ? await client.conversations.history(options)
              : await client.conversations.replies({ ...options, ts: threadTs });
          const found = answer.messages?.find((message) => marks(message, mark));
          if (found?.ts) return { channel, ts: found.ts };
          cursor = answer.response_metadata?.next_cursor ?? '';
        } catch (error) {
          if (error instanceof WebAPIPlatformError && BLIND.has(error.data.error)) return 'blind';
          throw error;
        }
        if (cursor === '') return undefined;
      }
      return undefined;
    },
  };
}

const BLIND = new Set(['missing_scope', 'not_allowed_token_type', 'no_permission', 'access_denied']);

function marks(message: { metadata?: { event_type?: string; event_payload?: unknown } }, mark: Mark): boolean {
  const payload = message.metadata?.event_payload;
  if (message.metadata?.event_type !== EVENT_TYPE || typeof payload !== 'object' || payload === null) return false;
  return (
    'deployment' in payload && payload.deployment === mark.deployment && 'seq' in payload && payload.seq === mark.seq
  );
}
