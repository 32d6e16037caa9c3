import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ExecResult } from '../../../src/cluster/remote/transport.ts';

const LAB = fileURLToPath(new URL('../lab.sh', import.meta.url));
const run = promisify(execFile);

export type Host = 'spark1' | 'spark2';
export const HOSTS: readonly Host[] = ['spark1', 'spark2'];

/** Where the lab keeps its keys while it is up. */
export const STATE = '/run/sparkops-lab';
export const IMAGE = 'hellohal2064/vllm-qwen3.5-gb10';

/** Idempotent. Rejects with the one line that says what this machine lacks. */
export async function labUp(): Promise<void> {
  await lab('up');
}

/** As `npm run lab -- fault WHAT ...`. */
export async function fault(...words: string[]): Promise<void> {
  await lab('fault', ...words);
}

async function lab(...words: string[]): Promise<void> {
  await run(LAB, words).catch((error: Error & { stderr?: string }) => {
    throw new Error(error.stderr?.trim() || error.message, { cause: error });
  });
}

/** A command on a host over OpenSSH, as a person would; resolves with what it printed. */
export async function onHost(host: Host, command: string, stdin = ''): Promise<string> {
  const { exitCode, stdout, stderr } = await ranOnHost(host, command, stdin);
  if (exitCode !== 0) throw new Error(`${command} on ${host} ended with code ${exitCode}: ${stderr.trim()}`);
  return stdout.trim();
}

/** The same, whatever its exit code. */
export async function ranOnHost(host: Host, command: string, stdin = ''): Promise<ExecResult> {
  const child = spawn('ssh', ['-F', `${STATE}/ssh_config`, host, command], { timeout: 150_000 });
  child.stdin.on('error', () => undefined).end(stdin);
  const closed = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  return { exitCode: child.exitCode ?? 255, stdout, stderr };
}

/** Names of the containers that run. */
export async function running(): Promise<Record<Host, string[]>> {
  const [spark1 = [], spark2 = []] = await Promise.all(
    HOSTS.map(async (host) => linesOf(await onHost(host, "docker ps --format '{{.Names}}'"))),
  );
  return { spark1, spark2 };
}

/** Removes every container of both hosts, and what the product keeps there. */
export async function cleanHosts(): Promise<void> {
  await Promise.all(
    HOSTS.map((host) => onHost(host, 'docker ps -aq | xargs -r docker rm -f >/dev/null; rm -rf ~/.sparkops')),
  );
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}
