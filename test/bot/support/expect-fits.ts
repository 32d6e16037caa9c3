import { expect } from 'vitest';
import type { Message } from '../../../src/bot/cards/message.ts';
import { expectButtons } from './expect-buttons.ts';
import { validateBlocks } from '../../../src/local/slack/validate/validate-blocks.ts';

/** Slack takes it, and nothing in it mentions anybody but the people of the test. */
export function expectFits({ text, blocks }: Message): void {
  expect(validateBlocks(blocks)).toEqual([]);
  expect(text.length).toBeLessThanOrEqual(4_000);
  expect(text).not.toBe('');
  expect(JSON.stringify(blocks).length).toBeLessThanOrEqual(10_000);
  expect(blocks.length).toBeLessThanOrEqual(50);
  expectButtons(blocks);
  expect((text.match(/```/g)?.length ?? 0) % 2).toBe(0);
}

/** What is live in mrkdwn: mentions, links, dates. */
export function liveMarkup(message: Message): string[] {
  const shown = `${message.text}\n${mrkdwn(message.blocks).join('\n')}`;
  return [...new Set(shown.match(/<[^<>]*>/g) ?? [])].filter((token) => !token.startsWith('<!date'));
}

function mrkdwn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(mrkdwn);
  if (typeof value !== 'object' || value === null) return [];
  if ('type' in value && value.type === 'mrkdwn' && 'text' in value && typeof value.text === 'string')
    return [value.text];
  return Object.values(value).flatMap(mrkdwn);
}
