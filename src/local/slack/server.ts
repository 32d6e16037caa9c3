import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { takeUpload } from './api/files.ts';
import { readArguments, readJson, readRequest, sendReply, type Reply, type Request } from './http.ts';
import { isObject } from './json.ts';
import type { Page } from './page/page.ts';
import type { ResponseUrls } from './response-urls.ts';
import type { SocketMode } from './socket-mode.ts';
import type { WebApi } from './web-api.ts';
import type { Workspace } from './workspace.ts';

export interface Server {
  stop: () => Promise<void>;
}

export interface ServerParts {
  workspace: Workspace;
  webApi: WebApi;
  responseUrls: ResponseUrls;
  socketMode: SocketMode;
  page: Page;
}

/** Listens on 127.0.0.1, and writes the address into the workspace. */
export async function startServer(parts: ServerParts, port: number): Promise<Server> {
  const { workspace, socketMode, page } = parts;
  const server = createServer((incoming, response) => void serve(incoming, response));
  server.on('upgrade', socketMode.upgrade);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The local Slack listens on no port');
  workspace.baseUrl = `http://127.0.0.1:${address.port}`;

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const request = await readRequest(incoming, workspace.baseUrl);
      const reply = await page.answer(request, response);
      if (reply !== 'streaming') sendReply(response, reply ?? (await answer(request, parts)));
    } catch (error) {
      if (response.headersSent) response.destroy();
      else sendReply(response, { status: 500, text: error instanceof Error ? error.message : 'failed' });
    }
  }

  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(request: Request, { workspace, webApi, responseUrls }: ServerParts): Promise<Reply> {
  const path = request.url.pathname;
  if (path.startsWith('/api/')) {
    const { token, ...args } = readArguments(request);
    const inHeader = request.headers.authorization?.replace(/^Bearer ?/, '');
    return webApi.call(path.slice('/api/'.length), args, inHeader ?? (typeof token === 'string' ? token : undefined));
  }
  if (responseUrls.owns(path)) {
    const args = readJson(request.body.toString('utf8'));
    const reply = await webApi.answer({ method: 'response_url', args }, () => responseUrls.use(path, args));
    return isObject(reply.json) && reply.json['ok'] === true ? { status: 200, text: 'ok' } : reply;
  }
  const [, folder, ...rest] = path.split('/');
  const file = workspace.files.get(rest.at(-1) ?? '');
  if (folder === 'upload' && file) {
    takeUpload(file, request.body, request.headers['content-type'] ?? '');
    return { status: 200, text: `OK - ${file.content?.length ?? 0}` };
  }
  if (folder === 'files' && file?.content) return { status: 200, text: file.content };
  return { status: 404, json: { ok: false, error: 'not_found' } };
}
