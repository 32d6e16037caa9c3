import type { KnownBlock, MessageMetadata } from '@slack/types';

/** A message as Slack keeps it. The fields have Slack's names; `channel` and `only_for` are ours. */
export interface Message {
  type: 'message';
  subtype?: 'thread_broadcast';
  channel: string;
  ts: string;
  user: string;
  text: string;
  team: string;
  bot_id?: string;
  app_id?: string;
  thread_ts?: string;
  blocks?: KnownBlock[];
  metadata?: MessageMetadata;
  edited?: { user: string; ts: string };
  files?: SharedFile[];
  reactions?: { name: string; users: string[]; count: number }[];
  /** Set for an ephemeral message: the one person who sees it. */
  only_for?: string;
}

export interface SharedFile {
  id: string;
  name: string;
  title: string;
  mimetype: string;
  size: number;
  url_private: string;
  permalink: string;
}

/** What a request wants shown. */
export interface Content {
  text?: string;
  blocks?: KnownBlock[];
  /** null takes away what the message had. */
  metadata?: MessageMetadata | null;
  files?: SharedFile[];
}
