import { HTTPReceiver } from '@slack/bolt';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { OperatorError } from '../errors.ts';
import { slackLog } from './slack-log.ts';

export interface HttpDoorOptions {
  signingSecret: string;
  host: string;
  /** 0: any free one. */
  port: number;
  log: Logger;
  now?: () => Date;
}

/** Where Slack's requests come in. */
export interface HttpDoor {
  receiver: HTTPReceiver;
  port: number;
  /** Until then requests are answered 503. */
  open: () => void;
  /** Takes no more; resolves when what is being answered is answered. */
  stop: () => Promise<void>;
}

export const SLACK_PATH = '/slack/events';
/** Slack's own rule for old requests, held for those from the future too: Bolt checks only the past. */
const MOST_AHEAD_SECONDS = 300;
const FORM = 'application/x-www-form-urlencoded';

/** Listens at once. Rejects with 'config' when the port can't be had. */
export async function openHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const { signingSecret, host, port, log, now = () => new Date() } = options;
  // Signature, age, ssl_check and url_verification are Bolt's.
  const receiver = new HTTPReceiver({ signingSecret, endpoints: SLACK_PATH, logger: slackLog(log) });
  let ready = false;

  function answer(request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== 'POST' || pathOf(request) !== SLACK_PATH) return refuse(response, 404);
    if (isAhead(request, now())) {
      log.warn("A request in Slack's name came from the future: refused");
      return refuse(response, 401);
    }
    if (!ready) return refuse(response, 503);
    // Bolt takes a form for JSON when its type also names a charset.
    if (request.headers['content-type']?.startsWith(`${FORM};`)) request.headers['content-type'] = FORM;
    receiver.requestListener(request, response);
  }

  const server = createServer(answer);
  await listen(server, host, port);
  const address = server.address();
  return {
    receiver,
    port: typeof address === 'object' && address !== null ? address.port : port,
    open: () => void (ready = true),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new OperatorError('config', `Slack's requests can't be taken at ${host}:${port}: ${error.message}`, {
          hint: 'Choose another port (SPARKOPS_HTTP_PORT) or address (SPARKOPS_HTTP_HOST).',
          cause: error,
        }),
      ),
    );
    server.listen(port, host, resolve);
  });
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '/';
}

function isAhead({ headers }: IncomingMessage, now: Date): boolean {
  const seconds = Number(headers['x-slack-request-timestamp'] ?? 0);
  return seconds > now.getTime() / 1_000 + MOST_AHEAD_SECONDS;
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close' });
  response.end();
}
