import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { Acts } from '../acts.ts';
import type { Delivery } from '../delivery.ts';
import { readJson, type Reply, type Request } from '../http.ts';
import { isObject, textIn, type JsonObject } from '../json.ts';
import { BOT } from '../people.ts';
import type { Reader } from '../text/reader.ts';
import type { Workspace } from '../workspace.ts';
import { frame } from './frame.ts';
import { watchHeadlines } from './headlines.ts';
import { lookingAt } from './looking-at.ts';
import { pictureOf, type Picture } from './picture.ts';

const ASSETS = new URL('../../../../assets/local-slack/', import.meta.url);
const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' } as const;
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
  function picture({ url }: Request): Picture {
    return pictureOf(workspace, reader, lookingAt(workspace, url), sockets());
  }

  /** What a person did. Answers with what came of it when that shows nowhere else. */
  async function act(request: Request): Promise<string | undefined> {
    const { user, channel } = lookingAt(workspace, request.url);
    const body = readJson(request.body.toString('utf8'));
    const field = (key: string): string => textIn(body, key) ?? '';
    switch (request.url.pathname) {
      case '/page/say':
        await acts.say(user, channel, field('text'), optional(body, 'threadTs'));
        return undefined;
      case '/page/click': {
        const options = { ...optional(body, 'blockId'), ...optional(body, 'value') };
        return unheard(await acts.click(user, field('ts'), field('actionId'), options));
      }
      case '/page/submit':
        return unheard(await acts.submitView(user, field('viewId'), texts(body['typed'])));
      case '/page/close':
        await acts.closeView(user, field('viewId'));
        return undefined;
      default:
        return undefined;
    }
  }

  /** Server-sent events with the picture of what a person sees, whenever it changes, and what is new in words. */
  function stream(request: Request, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const headlines = watchHeadlines(workspace, reader, lookingAt(workspace, request.url));
    let last = '';
    let timer: NodeJS.Timeout | undefined;
    const show = (): void => {
      timer = undefined;
      const shown = picture(request);
      const news = headlines.news();
      const next = JSON.stringify(shown);
      if (next !== last) response.write(`data: ${JSON.stringify({ ...shown, news })}\n\n`);
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
          const problem = await act(request);
          return { status: 200, json: { ok: problem === undefined, ...(problem ? { error: problem } : {}) } };
        } catch (error) {
          return { status: 400, json: { ok: false, error: error instanceof Error ? error.message : 'failed' } };
        }
      }
      if (path === '/page/stream') {
        stream(request, response);
        return 'streaming';
      }
      if (path !== '/') return asset(path.slice('/page/'.length));
      const shown = picture(request);
      return html(frame(workspace, lookingAt(workspace, request.url), shown, request.headers.cookie ?? ''));
    },
  };
}

/** Another site's page can't press buttons here: it has another origin, and can't hide it. */
function isOurs({ method, headers }: Request, baseUrl: string): boolean {
  const { host } = new URL(baseUrl);
  if (headers.host !== host) return false;
  return method === 'GET' || headers.origin === baseUrl;
}

/** A press that the app never acknowledged leaves no other trace. */
function unheard({ status }: Delivery): string | undefined {
  return status === 'acked' ? undefined : `${BOT.name} did not answer. Nothing may have come of it: try again.`;
}

function html(text: string): Reply {
  return {
    status: 200,
    text,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
    },
  };
}

function asset(name: string): Reply | undefined {
  const type = /^[a-z-]+\.(css|js)$/.exec(name)?.[1];
  if (type !== 'css' && type !== 'js') return undefined;
  try {
    const text = readFileSync(new URL(name, ASSETS));
    return { status: 200, text, headers: { 'content-type': TYPES[type], 'cache-control': 'no-cache' } };
  } catch {
    return undefined;
  }
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
