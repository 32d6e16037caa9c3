import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Host } from '../test/lab/support/lab.ts';
import { STATE } from '../test/lab/support/lab.ts';
import { type DeployTime, engineMs } from './deploy-time.ts';

const SCRIPT = fileURLToPath(new URL('floor.sh', import.meta.url));
const LIMIT_MS = 120_000;

export interface Floor {
  /** Leaves nothing behind. */
  deploy: () => Promise<DeployTime>;
  /** Milliseconds of a program, sent over the kept connection. */
  program: (host: Host, text: string, args: readonly string[]) => Promise<number>;
  close: () => Promise<void>;
}

/** Opens the connections, which is not measured. */
export async function openFloor(): Promise<Floor> {
  const sockets = await mkdtemp(join(tmpdir(), 'floor-'));
  const env = { ...process.env, SOCKETS: sockets, SSH_CONFIG: `${STATE}/ssh_config` };

  /** Resolves with the lines of its output and when they came. */
  async function floor(args: readonly string[], stdin = ''): Promise<{ line: string; at: number }[]> {
    const began = performance.now();
    const quiet = args[0] === 'open';
    const child = spawn(SCRIPT, args, {
      env,
      stdio: ['pipe', quiet ? 'ignore' : 'pipe', quiet ? 'ignore' : 'inherit'],
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const lines: { line: string; at: number }[] = [];
    if (child.stdout) {
      createInterface({ input: child.stdout }).on('line', (line) =>
        lines.push({ line, at: performance.now() - began }),
      );
    }
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(stdin);
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`floor.sh ${args.join(' ')} ended with ${code}`);
    return lines;
  }

  await floor(['open']);
  return {
    async deploy() {
      try {
        const steps = await floor(['deploy']);
        const said = await floor(['engine']);
        return {
          all: steps.at(-1)?.at ?? 0,
          engine: engineMs(said.map(({ line }) => line).join('\n')),
          steps: steps.map(({ line, at }, index) => ({ name: line, ms: at - (steps[index - 1]?.at ?? 0) })),
        };
      } finally {
        await floor(['clean']);
      }
    },
    async program(host, text, args) {
      const began = performance.now();
      await floor(['status', host, ...args], text);
      return performance.now() - began;
    },
    async close() {
      await floor(['close']);
      await rm(sockets, { recursive: true, force: true });
    },
  };
}
