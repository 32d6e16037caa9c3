import { spawn } from 'node:child_process';
import { fakeTransport, type FakeTransport } from './fake-transport.ts';

/** A transport whose every node is this machine: the text goes to a real sh, as sshd would give it. */
export function localShell(env: Record<string, string> = {}): FakeTransport {
  return fakeTransport(
    ({ text, stdin }) =>
      new Promise((resolve, reject) => {
        const child = spawn('/bin/sh', ['-c', text], { env: { ...process.env, ...env } });
        let stdout = '';
        let stderr = '';
        child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
          stdout += chunk;
        });
        child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
          stderr += chunk;
        });
        child.stdin.on('error', () => {});
        child.stdin.end(stdin);
        child.on('error', reject);
        child.on('close', (code) => resolve({ exitCode: code ?? 128, stdout, stderr }));
      }),
  );
}
