import { OPERATOR, OPS_CHANNEL } from '../people.ts';
import type { Workspace } from '../workspace.ts';
import { escapeHtml } from './html.ts';

/** Whose eyes the page has, and where they look. All of it stands in the address. */
export interface LookingAt {
  user: string;
  channel: string;
  /** ts of the root of the thread beside the channel. */
  thread: string | undefined;
}

/** What the address names and the person may see; else the Operator, the first channel, no thread. */
export function lookingAt(workspace: Workspace, { searchParams }: URL): LookingAt {
  const as = searchParams.get('as') ?? OPERATOR;
  const user = workspace.people.has(as) ? as : OPERATOR;
  const asked = workspace.channels.get(searchParams.get('in') ?? '');
  const channel = asked?.members.has(user) ? asked.id : OPS_CHANNEL;
  return { user, channel, thread: searchParams.get('thread') ?? undefined };
}

/** The address of a view, for an attribute. */
export function addressOf({ user, channel, thread }: LookingAt): string {
  const query = new URLSearchParams({ as: user, in: channel, ...(thread === undefined ? {} : { thread }) });
  return escapeHtml(`/?${query.toString()}`);
}
