import type { SlackEvent } from '../local/slack/feed.ts';
import type { LocalSlack } from '../local/slack/local-slack.ts';
import type { Message } from '../local/slack/message.ts';

/** In an edit these say only that something waits, goes on or may be pressed: the lines that follow tell how it went. */
const QUIET = [/, (?:waiting|running|not run)$/, /^Step \d+ of \d+: /, /^\d+ of \d+ steps done$/, /^\[.*\]$/];

/** Prints what happens in the local Slack as it happens: a message once, and of an edited one what is new. */
export function printConversation(
  slack: Pick<LocalSlack, 'on' | 'textOf' | 'nameOf'>,
  write: (text: string) => void,
): () => void {
  const shown = new Map<string, readonly string[]>();
  /** The message whose edits are being printed. */
  let edited: string | undefined;
  let explained = false;

  function post(message: Message): void {
    edited = undefined;
    const lines = slack.textOf(message).split('\n');
    shown.set(message.ts, lines);
    const only = message.only_for === undefined ? '' : ` (only ${slack.nameOf(message.only_for)} sees this)`;
    write(`\n${indentOf(message)}${slack.nameOf(message.user)}${only}`);
    for (const line of lines) write(`${indentOf(message)}  ${line}`.trimEnd());
  }

  function edit(message: Message): void {
    const lines = slack.textOf(message).split('\n');
    const news = newLines(shown.get(message.ts) ?? [], lines);
    shown.set(message.ts, lines);
    if (news.length === 0) return;
    if (edited !== message.ts)
      write(explained ? '' : '\n(~ is what is new in the card above, which is edited in place)');
    edited = message.ts;
    explained = true;
    for (const line of news) write(`${indentOf(message)}~ ${line}`);
  }

  return slack.on((event: SlackEvent) => {
    if (event.type === 'command') {
      edited = undefined;
      write(`\n${slack.nameOf(event.user)}\n  ${event.text}`);
    } else if (event.type === 'posted' || event.type === 'ephemeral') post(event.message);
    else if (event.type === 'edited') edit(event.message);
  });
}

function newLines(before: readonly string[], now: readonly string[]): readonly string[] {
  const known = new Set(before);
  return now.filter((line) => !known.has(line) && !QUIET.some((pattern) => pattern.test(line)));
}

function indentOf({ thread_ts, ts }: Message): string {
  return thread_ts === undefined || thread_ts === ts ? '' : '    | ';
}
