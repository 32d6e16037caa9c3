import type { SlackEvent } from '../local/slack/feed.ts';
import type { LocalSlack } from '../local/slack/local-slack.ts';
import type { Message } from '../local/slack/message.ts';

/** Prints what happens in the local Slack as it happens: a message once, and of an edited one the lines that changed. */
export function printConversation(slack: LocalSlack, write: (text: string) => void): () => void {
  const shown = new Map<string, readonly string[]>();

  function post(message: Message): void {
    const lines = slack.textOf(message).split('\n');
    shown.set(message.ts, lines);
    const only = message.only_for === undefined ? '' : ` (only ${slack.nameOf(message.only_for)} sees this)`;
    write(`\n${indentOf(message)}${slack.nameOf(message.user)}${only}`);
    for (const line of lines) write(`${indentOf(message)}  ${line}`);
  }

  function edit(message: Message): void {
    const before = new Set(shown.get(message.ts));
    const lines = slack.textOf(message).split('\n');
    shown.set(message.ts, lines);
    for (const line of lines) if (!before.has(line)) write(`${indentOf(message)}~ ${line}`);
  }

  return slack.on((event: SlackEvent) => {
    if (event.type === 'command') write(`\n${slack.nameOf(event.user)}\n  ${event.text}`);
    else if (event.type === 'posted' || event.type === 'ephemeral') post(event.message);
    else if (event.type === 'edited') edit(event.message);
  });
}

function indentOf({ thread_ts, ts }: Message): string {
  return thread_ts === undefined || thread_ts === ts ? '' : '    | ';
}
