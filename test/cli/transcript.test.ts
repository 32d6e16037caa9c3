import { expect, test } from 'vitest';
import { printConversation } from '../../src/cli/transcript.ts';
import type { SlackEvent } from '../../src/local/slack/feed.ts';
import type { Message } from '../../src/local/slack/message.ts';

function message(change: Partial<Message>): Message {
  return { type: 'message', ts: '1', channel: 'C', team: 'T', user: 'sparkops', text: '', ...change };
}

function transcript(...events: SlackEvent[]): string[] {
  const printed: string[] = [];
  let hear: (event: SlackEvent) => void = () => undefined;
  const slack = {
    on: (listener: (event: SlackEvent) => void) => {
      hear = listener;
      return () => undefined;
    },
    textOf: ({ text }: Message) => text,
    nameOf: (user: string) => user,
  };
  printConversation(slack, (text) => printed.push(...text.split('\n')));
  events.forEach((event) => hear(event));
  return printed;
}

test('a card is printed once, then what is new in it; what only waits or goes on is left out', () => {
  const card = (...lines: string[]) => message({ text: lines.join('\n') });
  const printed = transcript(
    {
      type: 'posted',
      message: card('spark QUEUED', '0 of 2 steps done', '  ○ Preflight, waiting', '  ○ Load, waiting'),
    },
    { type: 'edited', message: card('spark DEPLOYING', 'Step 1 of 2: Preflight', '  ◐ Preflight, running') },
    { type: 'posted', message: message({ ts: '2', thread_ts: '1', text: 'Checks: 18 ok.' }) },
    { type: 'edited', message: card('spark DEPLOYING', '1 of 2 steps done', '  ● Preflight, done in 0.7 s') },
    { type: 'edited', message: card('spark DEPLOYING', 'Step 2 of 2: Load', '  ● Preflight, done in 0.7 s') },
  );
  expect(printed).toEqual([
    '',
    'sparkops',
    '  spark QUEUED',
    '  0 of 2 steps done',
    '    ○ Preflight, waiting',
    '    ○ Load, waiting',
    '',
    '(~ is what is new in the card above, which is edited in place)',
    '~ spark DEPLOYING',
    '',
    '    | sparkops',
    '    |   Checks: 18 ok.',
    '',
    '~   ● Preflight, done in 0.7 s',
  ]);
});
