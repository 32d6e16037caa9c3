import { readFile as readLocalFile } from 'node:fs/promises';
import type { Cluster } from '../../config/cluster-file.ts';
import { OperatorError } from '../../errors.ts';
import { unlessAborted, withLimit } from './limit.ts';
import { forward, openLink, type Link } from './link.ts';
import type { ReadFile } from './local-file.ts';
import { placeOf, routesTo, type Route } from './route.ts';
import { runOnLink } from './run-on-link.ts';
import { toShell } from './shell.ts';
import { inWords, outcomeUnknown, unreachable } from './ssh-errors.ts';
import type { Transport } from './transport.ts';

export type LinkEvent = { kind: 'connected'; place: string; ms: number } | { kind: 'lost'; place: string; why: string };

export interface SshOptions {
  /** Limit of one hop: TCP, host key and login. */
  connectMs: number;
  /** A silent link is given up after three of these. Default 2000. */
  keepaliveMs?: number;
  /** The agent's socket (SSH_AUTH_SOCK), for clusters with ssh.agent. */
  agentSocket?: string | undefined;
  log?: (event: LinkEvent) => void;
  readFile?: ReadFile;
}

/** One connection per node, opened at the first use, kept, and opened anew after it was lost. */
export function sshTransport(cluster: Cluster, options: SshOptions): Transport {
  const { connectMs, keepaliveMs = 2_000, agentSocket, log, readFile = readUtf8 } = options;
  const links = new Map<string, Promise<Link>>();
  const closing = new AbortController();

  /** Concurrent callers share one attempt; an aborted caller leaves it to the others. */
  function linkTo(node: string, signal: AbortSignal): Promise<Link> {
    closing.signal.throwIfAborted();
    const link = links.get(node) ?? start(node);
    return unlessAborted(link, signal);
  }

  function start(node: string): Promise<Link> {
    const attempt = connectBy(routesTo(cluster, node));
    const forget = () => {
      if (links.get(node) === attempt) links.delete(node);
    };
    links.set(node, attempt);
    attempt.then((link) => {
      if (closing.signal.aborted) link.client.end();
      if (link.lost.aborted) forget();
      link.lost.addEventListener('abort', () => {
        forget();
        if (!closing.signal.aborted)
          log?.({ kind: 'lost', place: placeOf(link.route), why: inWords(link.lost.reason) });
      });
    }, forget);
    return attempt;
  }

  async function connectBy(routes: readonly Route[]): Promise<Link> {
    let failure: unknown;
    for (const route of routes) {
      try {
        return await connectAlong(route);
      } catch (error) {
        // Another way leads to the same node: what it refuses here, it refuses there.
        if (isFinal(error) && error.node === route.node.name) throw error;
        failure ??= error;
      }
    }
    throw failure;
  }

  async function connectAlong(route: Route): Promise<Link> {
    const began = performance.now();
    const through = route.via
      ? await linkTo(route.via.name, closing.signal).catch((error: unknown) => {
          throw jumpFailed(route, error);
        })
      : undefined;
    const link = await openLink(route, cluster.ssh, through, {
      connectMs,
      keepaliveMs,
      readFile,
      agentSocket,
      signal: closing.signal,
    });
    log?.({ kind: 'connected', place: placeOf(route), ms: Math.round(performance.now() - began) });
    return link;
  }

  return {
    exec(node, command, { signal, limitMs, ...rest }) {
      const text = toShell(command);
      const [route] = routesTo(cluster, node);
      let sent = false;
      const late = () =>
        sent
          ? outcomeUnknown(route, `a command did not end within ${limitMs / 1_000} s`)
          : unreachable(route, `a command could not be started within ${limitMs / 1_000} s`);
      return withLimit({ signal, limitMs, late }, async (either) => {
        const link = await linkTo(node, either);
        const onSent = (maybe: boolean) => {
          sent = maybe;
        };
        return runOnLink(link, text, { ...rest, signal: either, onSent });
      });
    },

    dial(node, target, { signal, limitMs }) {
      const [route] = routesTo(cluster, node);
      const what = `${target.host}:${target.port} from there`;
      const late = () => unreachable(route, `${what}: no answer within ${limitMs / 1_000} s`);
      return withLimit({ signal, limitMs, late }, async (either) => {
        const link = await linkTo(node, either);
        return forward(link, target, either).catch((error: unknown) => {
          throw unreachable(route, `${what}: ${inWords(error)}`, error);
        });
      });
    },

    async close() {
      closing.abort(new Error('The connections to the nodes are closed'));
      const open = await Promise.allSettled(links.values());
      links.clear();
      await Promise.all(open.flatMap((each) => (each.status === 'fulfilled' ? [end(each.value)] : [])));
    },
  };
}

function isFinal(error: unknown): error is OperatorError {
  return error instanceof OperatorError && (error.code === 'host-key' || error.code === 'login');
}

/** Names both the node that was wanted and the one that was not reached. */
function jumpFailed(route: Route, error: unknown): unknown {
  if (!(error instanceof OperatorError)) return error;
  const { code, message, hint, node } = error;
  return new OperatorError(code, `${placeOf(route)}: the way there is closed. ${message}`, {
    hint,
    cause: error,
    ...(node === undefined ? {} : { node }),
  });
}

async function end(link: Link): Promise<void> {
  if (link.lost.aborted) return;
  const gone = new Promise((resolve) => link.lost.addEventListener('abort', resolve, { once: true }));
  link.client.end();
  // A peer that is gone never answers the goodbye.
  const impatient = setTimeout(() => link.client.destroy(), 500);
  await gone;
  clearTimeout(impatient);
}

function readUtf8(path: string): Promise<string> {
  return readLocalFile(path, 'utf8');
}
