import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

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
export async function onHost(host: Host, command: string): Promise<string> {
  const { stdout } = await run('ssh', ['-F', `${STATE}/ssh_config`, host, command], { timeout: 60_000 });
  return stdout.trim();
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
