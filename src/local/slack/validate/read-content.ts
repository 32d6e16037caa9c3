import type { KnownBlock } from '@slack/types';
import { isObject, type JsonObject } from '../json.ts';
import type { Content } from '../message.ts';
import { Refusal } from '../refusal.ts';
import { blocksAsStored, escapeText } from './as-stored.ts';
import { areBlocks, validateBlocks } from './validate-blocks.ts';
import { isMetadata } from './validate-metadata.ts';

const TRUNCATED_ABOVE = 40_000;
const MARKDOWN_TEXT_LIMIT = 12_000;
// Undocumented: 13,172 to 13,297 characters were refused, depending on the blocks.
const ALL_BLOCKS_LIMIT = 13_200;
const MOST_ATTACHMENTS = 100;

export interface Reading {
  content: Content;
  warnings: { code: string; message: string }[];
}

/** What a request wants shown. Throws the Refusal that Slack would answer. */
export function readContent(args: JsonObject): Reading {
  const warnings: Reading['warnings'] = [];
  const content: Content = {};
  const text = readText(args);
  if (text !== undefined) content.text = escapeText(text.slice(0, TRUNCATED_ABOVE));
  if (text !== undefined && text.length > TRUNCATED_ABOVE) {
    warnings.push({
      code: 'message_truncated',
      message: '[WARN] Your message was truncated but still posted. The `text` field accepts up to 40,000 characters.',
    });
  }
  if (args['blocks'] !== undefined) content.blocks = readBlocks(args['blocks']);
  if (args['metadata'] !== undefined) content.metadata = readMetadata(args['metadata']);
  if (Array.isArray(args['attachments']) && args['attachments'].length > MOST_ATTACHMENTS) {
    throw new Refusal('too_many_attachments');
  }
  return { content, warnings };
}

/** Slack posts nothing that shows nothing. */
export function requireSomethingToShow(args: JsonObject, content: Content): void {
  const attachments = Array.isArray(args['attachments']) && args['attachments'].length > 0;
  if (!content.text && !content.blocks?.length && !attachments) throw new Refusal('no_text');
}

function readText(args: JsonObject): string | undefined {
  const { text, markdown_text: markdown } = args;
  if (typeof markdown !== 'string') return typeof text === 'string' ? text : undefined;
  if (text !== undefined || args['blocks'] !== undefined) throw new Refusal('markdown_text_conflict');
  if (markdown.length > MARKDOWN_TEXT_LIMIT) throw new Refusal('msg_too_long');
  return markdown;
}

function readBlocks(blocks: unknown): KnownBlock[] {
  if (!Array.isArray(blocks)) throw new Refusal('invalid_blocks_format');
  if (!areBlocks(blocks)) throw new Refusal('invalid_blocks', validateBlocks(blocks));
  if (lengthOfTexts(blocks) >= ALL_BLOCKS_LIMIT) throw new Refusal('msg_blocks_too_long');
  const stored = blocksAsStored(blocks);
  // Escaping can make a text longer than its limit: such blocks are kept as they came.
  return areBlocks(stored) ? stored : blocks;
}

function readMetadata(metadata: unknown): NonNullable<Content['metadata']> | null {
  if (!isObject(metadata)) throw new Refusal('invalid_metadata_format');
  if (Object.keys(metadata).length === 0) return null;
  if (!isMetadata(metadata)) throw new Refusal('invalid_metadata_schema');
  return metadata;
}

function lengthOfTexts(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((length: number, item) => length + lengthOfTexts(item), 0);
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce((length, [key, child]) => {
    const shown = (key === 'text' || key === 'title') && typeof child === 'string';
    return length + (shown ? child.length : lengthOfTexts(child));
  }, 0);
}
