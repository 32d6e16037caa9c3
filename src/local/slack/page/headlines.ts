import type { Message } from '../message.ts';
import type { Reader } from '../text/reader.ts';
import { textOf } from '../text/text-of.ts';
import { displayName, type Workspace } from '../workspace.ts';
import { seenIn } from './conversation-html.ts';
import type { LookingAt } from './looking-at.ts';

const LONGEST = 400;

export interface Headlines {
  /** What to read aloud: new messages whole, changed ones by their headline. Nothing at the first call. */
  news: () => string[];
}

/** Watches what a person sees, for those who hear the page: a card that is edited every second must not be read whole. */
export function watchHeadlines(workspace: Workspace, reader: Reader, at: LookingAt): Headlines {
  let known: Map<string, string> | undefined;
  return {
    news() {
      const seen = seenIn(workspace, at);
      const before = known;
      known = new Map(seen.map((message) => [message.ts, headline(message)]));
      if (!before) return [];
      return seen.flatMap((message) => {
        const was = before.get(message.ts);
        if (was === undefined) return [`${from(workspace, message)}: ${shortened(textOf(message, reader))}`];
        const is = known?.get(message.ts) ?? '';
        return was === is ? [] : [is];
      });
    },
  };
}

function headline({ blocks = [], text }: Message): string {
  const parts = blocks.flatMap((block) => {
    if (block.type === 'header') return [block.text.text];
    return block.type === 'plan' ? [block.title] : [];
  });
  return parts.length > 0 ? parts.join('. ') : shortened(text.split('\n')[0] ?? '');
}

function from(workspace: Workspace, { user, only_for: only }: Message): string {
  return `${displayName(workspace, user)}${only === undefined ? '' : ', only visible to you'}`;
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
