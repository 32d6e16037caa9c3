import type {
  ActionsBlock,
  Button,
  ContextBlock,
  HeaderBlock,
  KnownBlock,
  RichTextBlock,
  SectionBlock,
} from '@slack/types';
import { maskSecrets } from '../../mask.ts';
import { clip, plain } from './mrkdwn.ts';

/** `text` is the whole message, for the lock screen and screen readers; `blocks` show it again, better. */
export interface Message {
  text: string;
  blocks: KnownBlock[];
}

/** Slack refuses an edit with more, and splits a post. */
const TEXT_LIMIT = 4_000;
/** Undocumented; counted here over the whole JSON to be on the safe side. */
const BLOCKS_LIMIT = 10_000;

/** The first of the renderings, from rich to bare, that Slack takes. Secrets are masked wherever they stand. */
export function fitting(...renderings: readonly [() => Message, ...(() => Message)[]]): Message {
  let message = masked(renderings[0]());
  for (const render of renderings.slice(1)) {
    if (JSON.stringify(message.blocks).length <= BLOCKS_LIMIT && message.text.length <= TEXT_LIMIT) break;
    message = masked(render());
  }
  if (JSON.stringify(message.blocks).length > BLOCKS_LIMIT) return textOnly(message);
  return { text: clip(message.text, TEXT_LIMIT), blocks: message.blocks };
}

/** For a Slack that refuses the blocks. */
export function textOnly({ text }: Message): Message {
  return { text: clip(text, TEXT_LIMIT), blocks: [section(text)] };
}

export function header(text: string): HeaderBlock {
  return { type: 'header', text: { type: 'plain_text', text: plain(text, 150) } };
}

/** `text` is mrkdwn: what comes from elsewhere in it has passed `said`. */
export function section(text: string): SectionBlock {
  return { type: 'section', text: { type: 'mrkdwn', text: clip(text, 3_000) } };
}

export function context(text: string): ContextBlock {
  return { type: 'context', elements: [{ type: 'mrkdwn', text: clip(text, 2_000) }] };
}

/** Lines as they are: nothing in them is markup. */
export function preformatted(lines: readonly string[]): RichTextBlock {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: lines.join('\n') || ' ' }] }],
  };
}

export function actions(buttons: readonly Button[]): ActionsBlock {
  return { type: 'actions', elements: [...buttons] };
}

function masked(message: Message): Message {
  const blocks: KnownBlock[] = JSON.parse(JSON.stringify(message.blocks), (_, value: unknown) =>
    typeof value === 'string' ? maskSecrets(value) : value,
  );
  return { text: maskSecrets(message.text), blocks };
}
