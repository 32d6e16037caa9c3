import type { Cluster } from '../../config/cluster-file.ts';
import { OperatorError } from '../../errors.ts';
import { unlessAborted } from './limit.ts';
import type { Link } from './link.ts';
import { openLink, type LinkOptions } from './open-link.ts';
import { placeOf, routesTo, type Route } from './route.ts';
import { inWords } from './ssh-errors.ts';

export type LinkEvent = { kind: 'connected'; place: string; ms: number } | { kind: 'lost'; place: string; why: string };

export interface LinkPool {
  linkTo: (node: string, signal: AbortSignal) => Promise<Link>;
  close: () => Promise<void>;
}

type PoolOptions = Omit<LinkOptions, 'signal'> & { log: ((event: LinkEvent) => void) | undefined };

/** One connection per node, opened at the first use, kept, and opened anew once it takes no more work. */
export function linkPool(cluster: Cluster, { log, ...options }: PoolOptions): LinkPool {
  const links = new Map<string, Promise<Link>>();
  /** Those that take no new work included. */
  const connected = new Set<Link>();
  const closing = new AbortController();

  /** Concurrent callers share one attempt; an aborted caller leaves it to the others. */
  async function linkTo(node: string, signal: AbortSignal): Promise<Link> {
    closing.signal.throwIfAborted();
    return unlessAborted(links.get(node) ?? start(node), signal);
  }

  function start(node: string): Promise<Link> {
    const attempt = connectBy(routesTo(cluster, node));
    const forget = () => {
      if (links.get(node) === attempt) links.delete(node);
    };
    links.set(node, attempt);
    attempt.then((link) => keep(link, forget), forget);
    return attempt;
  }

  function keep(link: Link, forget: () => void): void {
    connected.add(link);
    link.lost.addEventListener('abort', () => connected.delete(link));
    link.spent.addEventListener('abort', () => {
      forget();
      if (!closing.signal.aborted) log?.({ kind: 'lost', place: placeOf(link.route), why: inWords(link.spent.reason) });
    });
    if (link.lost.aborted) {
      connected.delete(link);
      forget();
    }
  }

  async function connectBy(routes: readonly Route[]): Promise<Link> {
    const failures: unknown[] = [];
    for (const route of routes) {
      try {
        return await connectAlong(route);
      } catch (error) {
        // Another way leads to the same node: what it refuses here, it refuses there.
        if (isFinal(error) && error.node === route.node.name) throw error;
        failures.push(error);
      }
    }
    throw allOf(failures);
  }

  async function connectAlong(route: Route): Promise<Link> {
    const began = performance.now();
    const through = route.via ? await jumpLink(route, route.via.name) : undefined;
    const link = await openLink(route, cluster.ssh, through, { ...options, signal: closing.signal });
    log?.({ kind: 'connected', place: placeOf(route), ms: Math.round(performance.now() - began) });
    return link;
  }

  function jumpLink(route: Route, via: string): Promise<Link> {
    return linkTo(via, closing.signal).catch((error: unknown) => {
      throw jumpFailed(route, error);
    });
  }

  return {
    linkTo,
    async close() {
      closing.abort(new Error('The connections to the nodes are closed'));
      await Promise.allSettled(links.values());
      await Promise.all([...connected].map(end));
    },
  };
}

function isFinal(error: unknown): error is OperatorError {
  return error instanceof OperatorError && (error.code === 'host-key' || error.code === 'login');
}

/** The first one, with what was wrong on the other ways. */
function allOf([first, ...others]: readonly unknown[]): unknown {
  if (!(first instanceof OperatorError) || others.length === 0) return first;
  const { code, message, hint, node } = first;
  return new OperatorError(code, [message, ...others.map(inWords)].join(' '), {
    hint,
    cause: first,
    ...(node === undefined ? {} : { node }),
  });
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
