import { randomBytes } from 'node:crypto';
import { edit, postAsBot, remove, showOnlyTo } from './conversation.ts';
import { digits } from './ids.ts';
import type { JsonObject } from './json.ts';
import { textIn } from './json.ts';
import type { Message } from './message.ts';
import { TEAM } from './people.ts';
import { Refusal } from './refusal.ts';
import { readContent, requireSomethingToShow } from './validate/read-content.ts';
import type { Workspace } from './workspace.ts';

const LIFE_MS = 30 * 60_000;
const MOST_USES = 5;

export interface Origin {
  channel: string;
  user: string;
  /** The message that was clicked. */
  message?: Message;
}

export interface ResponseUrls {
  /** A URL that the app may post to 5 times in 30 minutes. */
  issue: (kind: 'commands' | 'actions', origin: Origin) => string;
  owns: (path: string) => boolean;
  /** Does what the body says. Throws a Refusal. */
  use: (path: string, body: JsonObject) => JsonObject;
}

export function createResponseUrls(workspace: Workspace): ResponseUrls {
  const issued = new Map<string, Origin & { endsAt: number; uses: number }>();
  return {
    issue(kind, origin) {
      const path = `/${kind}/${TEAM.id}/${digits(13)}/${randomBytes(18).toString('base64url')}`;
      issued.set(path, { ...origin, endsAt: workspace.clock.now() + LIFE_MS, uses: 0 });
      return workspace.baseUrl + path;
    },
    owns: (path) => issued.has(path),
    use(path, body) {
      const origin = issued.get(path);
      if (!origin || workspace.clock.now() > origin.endsAt) throw new Refusal('expired_url');
      origin.uses += 1;
      if (origin.uses > MOST_USES) throw new Refusal('used_url');
      respond(workspace, origin, body);
      return {};
    },
  };
}

/** What a response_url and the answer inside an acknowledgement may ask for. */
export function respond(workspace: Workspace, { channel, user, message }: Origin, body: JsonObject): void {
  if (body['delete_original'] === true) {
    if (message) remove(workspace, message);
    return;
  }
  const { content } = readContent(body);
  requireSomethingToShow(body, content);
  const placement = { channel, threadTs: textIn(body, 'thread_ts') ?? message?.thread_ts };
  if (body['replace_original'] === true && message) edit(workspace, message, content);
  else if (body['response_type'] === 'in_channel') postAsBot(workspace, placement, content);
  else showOnlyTo(workspace, placement, user, content);
}
