import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
const START_LIMIT_MS = 30_000;

export interface Demo {
  /** The address that it prints. */
  url: string;
  stop: () => Promise<void>;
}

/** `sparkops demo`, as a person starts it. */
export async function startDemo(...args: readonly string[]): Promise<Demo> {
  const child = spawn(process.execPath, [CLI, 'demo', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const said: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`The demo ${why}:\n${said.slice(-20).join('\n')}`));
    const timer = setTimeout(fail, START_LIMIT_MS, `printed no address in ${START_LIMIT_MS} ms`);
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        said.push(line);
        const found = /The local Slack: (http\S+)/.exec(line)?.[1];
        if (found !== undefined) resolve(found);
      });
    }
    void exited.then(() => fail('ended'));
    void exited.finally(() => clearTimeout(timer));
    child.once('error', reject);
  });
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
