import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { Acts } from '../acts.ts';
import { readJson, type Reply, type Request } from '../http.ts';
import { isObject, textIn, type JsonObject } from '../json.ts';
import { OPERATOR, OPS_CHANNEL } from '../people.ts';
import type { Reader } from '../text/reader.ts';
import { channelName, type Workspace } from '../workspace.ts';
import { conversationHtml, modalHtml } from './conversation-html.ts';
import { escapeHtml } from './html.ts';

const ASSETS = new URL('../../../../assets/local-slack/', import.meta.url);
const POLICY =
  "default-src 'self'; img-src 'self' https: data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";
// Many events come together: one picture shows them all.
const GATHER_MS = 30;

export interface Page {
  /** The page's answer, or nothing when the path isn't its own. */
  answer: (request: Request, response: ServerResponse) => Promise<Reply | 'streaming' | undefined>;
}

export interface PageOptions {
  workspace: Workspace;
  reader: Reader;
  acts: Acts;
  sockets: () => number;
}

export function createPage({ workspace, reader, acts, sockets }: PageOptions): Page {
  function picture(request: Request): string {
    const { user, channel } = lookingAt(request);
    const list = conversationHtml(workspace, reader, user, channel);
    return JSON.stringify({ list, modal: modalHtml(workspace, reader, user), sockets: sockets() });
  }

  async function act(request: Request): Promise<void> {
    const { user, channel } = lookingAt(request);
    const body = readJson(request.body.toString('utf8'));
    const field = (key: string): string => textIn(body, key) ?? '';
    switch (request.url.pathname) {
      case '/page/say':
        return void (await acts.say(user, channel, field('text'), optional(body, 'threadTs')));
      case '/page/click': {
        const options = { ...optional(body, 'blockId'), ...optional(body, 'value') };
        return void (await acts.click(user, field('ts'), field('actionId'), options));
      }
      case '/page/submit':
        return void (await acts.submitView(user, field('viewId'), texts(body['typed'])));
      case '/page/close':
        return void (await acts.closeView(user, field('viewId')));
    }
  }

  /** Server-sent events with the picture of the conversation, whenever it changes. */
  function stream(request: Request, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    let last = '';
    let timer: NodeJS.Timeout | undefined;
    const show = (): void => {
      timer = undefined;
      const next = picture(request);
      if (next !== last) response.write(`data: ${next}\n\n`);
      last = next;
    };
    const stop = workspace.feed.listen(() => (timer ??= setTimeout(show, GATHER_MS)));
    response.on('close', () => {
      clearTimeout(timer);
      stop();
    });
    show();
  }

  return {
    async answer(request, response) {
      const path = request.url.pathname;
      if (path !== '/' && !path.startsWith('/page/')) return undefined;
      if (!isOurs(request, workspace.baseUrl)) return { status: 403, text: 'Only the page itself may do this.' };
      if (request.method === 'POST') {
        try {
          await act(request);
          return { status: 200, json: { ok: true } };
        } catch (error) {
          return { status: 400, json: { ok: false, error: error instanceof Error ? error.message : 'failed' } };
        }
      }
      switch (path) {
        case '/page/stream':
          stream(request, response);
          return 'streaming';
        case '/':
          return html(frame(workspace, lookingAt(request)));
        case '/page/page.css':
          return asset('page.css', 'text/css; charset=utf-8');
        case '/page/page.js':
          return asset('page.js', 'text/javascript; charset=utf-8');
        default:
          return undefined;
      }
    },
  };
}

/** Another site's page can't press buttons here: it has another origin, and can't hide it. */
function isOurs({ method, headers }: Request, baseUrl: string): boolean {
  const { host } = new URL(baseUrl);
  if (headers.host !== host) return false;
  return method === 'GET' || headers.origin === baseUrl;
}

interface LookingAt {
  user: string;
  channel: string;
}

function lookingAt({ url }: Request): LookingAt {
  return { user: url.searchParams.get('as') ?? OPERATOR, channel: url.searchParams.get('in') ?? OPS_CHANNEL };
}

function frame(workspace: Workspace, { user, channel }: LookingAt): string {
  const link = (target: LookingAt, label: string): string => {
    const current = target.user === user && target.channel === channel ? ' aria-current="page"' : '';
    const query = new URLSearchParams({ as: target.user, in: target.channel }).toString();
    return `<a href="/?${escapeHtml(query)}"${current}>${escapeHtml(label)}</a>`;
  };
  const people = [...workspace.people.values()].map((person) => {
    return link({ user: person.id, channel }, `as ${person.displayName}`);
  });
  const channels = [...workspace.channels.values()]
    .filter((other) => other.members.has(user))
    .map((other) => link({ user, channel: other.id }, other.kind === 'dm' ? 'sparkops (direct)' : `#${other.name}`));
  const title = escapeHtml(`#${channelName(workspace, channel)}`);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/page/page.css"></head>
<body><header><b>Local Slack</b><nav>${channels.join('')}</nav><nav>${people.join('')}</nav><span id="app"></span></header>
<main id="list" aria-live="polite"></main><div id="front"></div><dialog id="confirm"></dialog>
<form id="say"><input name="text" placeholder="Message ${title}, or /spark help" autocomplete="off" autofocus></form>
<script src="/page/page.js" defer></script></body></html>`;
}

function html(text: string): Reply {
  return {
    status: 200,
    text,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY },
  };
}

function asset(name: string, type: string): Reply {
  return { status: 200, text: readFileSync(new URL(name, ASSETS)), headers: { 'content-type': type } };
}

function optional<Key extends string>(body: JsonObject, key: Key): Partial<Record<Key, string>> {
  const found: Partial<Record<Key, string>> = {};
  const value = textIn(body, key);
  if (value !== undefined) found[key] = value;
  return found;
}

function texts(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)]));
}
