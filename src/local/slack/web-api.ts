import { setTimeout as sleep } from 'node:timers/promises';
import * as chat from './api/chat.ts';
import * as conversations from './api/conversations.ts';
import * as files from './api/files.ts';
import type { Method } from './api/method.ts';
import * as others from './api/others.ts';
import * as userGroups from './api/user-groups.ts';
import * as views from './api/views.ts';
import type { Fault, Faults } from './faults.ts';
import { isObject, type JsonObject } from './json.ts';
import { createRateLimits } from './rate-limits.ts';
import { Refusal } from './refusal.ts';
import { missingScope } from './scopes.ts';
import type { Reply } from './http.ts';
import type { Workspace } from './workspace.ts';

const METHODS: Record<string, Method> = {
  'apps.connections.open': others.openConnection,
  'auth.test': others.authTest,
  'blocks.validate': others.validate,
  'chat.delete': chat.deleteMessage,
  'chat.getPermalink': chat.getPermalink,
  'chat.postEphemeral': chat.postEphemeral,
  'chat.postMessage': chat.postMessage,
  'chat.update': chat.update,
  'conversations.history': conversations.history,
  'conversations.info': conversations.info,
  'conversations.open': conversations.open,
  'conversations.replies': conversations.replies,
  'files.completeUploadExternal': files.completeUpload,
  'files.getUploadURLExternal': files.getUploadUrl,
  'reactions.add': others.addReaction,
  'usergroups.list': userGroups.list,
  'usergroups.users.list': userGroups.users,
  'users.info': others.userInfo,
  'views.open': views.openModal,
  'views.push': views.pushModal,
  'views.update': views.updateModal,
};

/** A request of the app, and what it was answered. */
export interface ApiCall {
  /** A method of the Web API, `response_url`, or `ack` for a message inside an acknowledgement. */
  method: string;
  args: JsonObject;
  token?: string;
  at: number;
  status: number;
  result: JsonObject;
}

/** A request that Slack would have refused. Planned faults and rate limits don't count. */
export interface Violation {
  method: string;
  args: JsonObject;
  error: string;
  messages: readonly string[];
}

export interface WebApi {
  call: (method: string, args: JsonObject, token: string | undefined) => Promise<Reply>;
  /** Runs what a request asks for, with faults and refusals, and writes it into the log. */
  answer: (call: Omit<ApiCall, 'at' | 'status' | 'result'>, run: () => JsonObject) => Promise<Reply>;
}

export interface WebApiOptions {
  workspace: Workspace;
  tokens: { bot: string; app: string };
  faults: Faults;
  rateLimits: boolean;
  /** What the bot token may do. */
  scopes: readonly string[];
  calls: ApiCall[];
  violations: Violation[];
}

export function createWebApi(options: WebApiOptions): WebApi {
  const { workspace, tokens, faults, rateLimits, scopes, calls, violations } = options;
  const limits = createRateLimits(workspace.clock.now);

  async function answer(call: Omit<ApiCall, 'at' | 'status' | 'result'>, run: () => JsonObject): Promise<Reply> {
    const fault = faults.take(call.method);
    if (fault?.delayMs !== undefined) await sleep(fault.delayMs, undefined, { ref: false });
    if (fault?.applied) attempt(call, run);
    const reply = (fault && faulty(fault)) ?? attempt(call, run);
    const result = isObject(reply.json) ? reply.json : {};
    const record: ApiCall = { ...call, at: workspace.clock.now(), status: reply.status, result };
    calls.push(record);
    workspace.feed.tell({ type: 'called', call: record });
    return reply;
  }

  function attempt({ method, args }: Pick<ApiCall, 'method' | 'args'>, run: () => JsonObject): Reply {
    try {
      return { status: 200, json: { ok: true, ...run() } };
    } catch (error) {
      if (error instanceof RateLimited) return tooMany(error.seconds);
      if (!(error instanceof Refusal)) throw error;
      violations.push({ method, args, error: error.error, messages: error.messages });
      return { status: method === 'response_url' ? statusAtUrl(error) : 200, json: refused(error) };
    }
  }

  function run(method: string, args: JsonObject, token: string | undefined): JsonObject {
    const wait = rateLimits ? limits(method, args) : 0;
    if (wait > 0) throw new RateLimited(wait);
    if (method !== 'blocks.validate') checkToken(method, token);
    const known = METHODS[method];
    if (!known) throw new Refusal('unknown_method');
    const isPrivate = workspace.channels.get(String(args['channel']))?.kind === 'private';
    if (missingScope(method, isPrivate, scopes) !== undefined) throw new Refusal('missing_scope');
    return known(args, workspace);
  }

  function checkToken(method: string, token: string | undefined): void {
    if (!token) throw new Refusal('not_authed');
    const [right, wrong] = method === 'apps.connections.open' ? [tokens.app, tokens.bot] : [tokens.bot, tokens.app];
    if (token !== right) throw new Refusal(token === wrong ? 'not_allowed_token_type' : 'invalid_auth');
  }

  return {
    answer,
    async call(method, args, token) {
      const named = { method, args, ...(token === undefined ? {} : { token }) };
      const reply = await answer(named, () => run(method, args, token));
      return token === tokens.bot
        ? { ...reply, headers: { 'x-oauth-scopes': scopes.join(','), ...reply.headers } }
        : reply;
    },
  };
}

class RateLimited extends Error {
  readonly seconds: number;

  constructor(seconds: number) {
    super(`ratelimited for ${seconds} s`);
    this.seconds = seconds;
  }
}

function faulty(fault: Fault): Reply | undefined {
  if (fault.retryAfter !== undefined) return tooMany(fault.retryAfter);
  if (fault.status !== undefined) return { status: fault.status, text: 'upstream error' };
  if (fault.error !== undefined) return { status: 200, json: { ok: false, error: fault.error } };
  return undefined;
}

/** A response_url answers with a status, unlike the methods. */
function statusAtUrl({ error }: Refusal): number {
  return error === 'expired_url' || error === 'used_url' ? 404 : 400;
}

function tooMany(seconds: number): Reply {
  return { status: 429, headers: { 'retry-after': String(seconds) }, json: { ok: false, error: 'ratelimited' } };
}

function refused({ error, messages }: Refusal): JsonObject {
  if (messages.length === 0) return { ok: false, error };
  return {
    ok: false,
    error,
    errors: messages,
    response_metadata: { messages: messages.map((message) => `[ERROR] ${message}`) },
  };
}
