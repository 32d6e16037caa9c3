import { readFile as readLocalFile } from 'node:fs/promises';
import type { Cluster } from '../../config/cluster-file.ts';
import { withLimit } from './limit.ts';
import { linkPool, type LinkEvent } from './link-pool.ts';
import { forward } from './link.ts';
import type { ReadFile } from './local-file.ts';
import { routesTo } from './route.ts';
import { runOnLink } from './run-on-link.ts';
import { toShell } from './shell.ts';
import { inWords, outcomeUnknown, unreachable } from './ssh-errors.ts';
import type { Transport } from './transport.ts';

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
  const pool = linkPool(cluster, { connectMs, keepaliveMs, agentSocket, log, readFile });

  return {
    async exec(node, command, { signal, limitMs, ...rest }) {
      const text = toShell(command);
      const [route] = routesTo(cluster, node);
      let sent = false;
      const late = () =>
        sent
          ? outcomeUnknown(route, `a command did not end within ${limitMs / 1_000} s`)
          : unreachable(route, `a command could not be started within ${limitMs / 1_000} s`);
      return withLimit({ signal, limitMs, late }, async (either) => {
        const onSent = (maybe: boolean) => {
          sent = maybe;
        };
        for (;;) {
          const link = await pool.linkTo(node, either);
          const result = await runOnLink(link, text, { ...rest, signal: either, onSent });
          if (result !== 'no-session') return result;
          link.retire('it has no session free');
        }
      });
    },

    async dial(node, target, { signal, limitMs }) {
      const [route] = routesTo(cluster, node);
      const what = `${target.host}:${target.port} from there`;
      const late = () => unreachable(route, `${what}: no answer within ${limitMs / 1_000} s`);
      return withLimit({ signal, limitMs, late }, async (either) => {
        const link = await pool.linkTo(node, either);
        return forward(link, target, either).catch((error: unknown) => {
          throw unreachable(route, `${what}: ${inWords(error)}`, error);
        });
      });
    },

    close: pool.close,
  };
}

function readUtf8(path: string): Promise<string> {
  return readLocalFile(path, 'utf8');
}
