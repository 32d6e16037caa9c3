import { createServer } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { and, run } from '../../../src/cluster/remote/command.ts';
import { Secret } from '../../../src/cluster/remote/secret.ts';
import type { ExecOptions, Transport } from '../../../src/cluster/remote/transport.ts';

export interface Subject {
  transport: Transport;
  nodes: readonly string[];
  close: () => Promise<void>;
}

const HOSTILE = [
  `it's`,
  `"double"`,
  '$(touch /tmp/pwned) `id` ${HOME} $HOME',
  'two\nlines\n',
  ' spaces  and\ttab ',
  '; rm -rf / & | > <',
  '*?[a-z]{1,2}~!#',
  'back\\slash\\n',
  '日本語 ü 🚀',
  '',
  '--option',
];

/** What every transport does. Its nodes run commands in a real sh; they may be one machine. */
export function transportContract(name: string, start: () => Promise<Subject>): void {
  describe(`${name} keeps the transport's contract`, () => {
    let subject: Subject;
    beforeAll(async () => {
      subject = await start();
    });
    afterAll(() => subject.close());

    const options = (more: Partial<ExecOptions> = {}): ExecOptions => ({
      signal: new AbortController().signal,
      limitMs: 10_000,
      ...more,
    });
    const node = () => subject.nodes[0] ?? '';

    test('gives output and exit code, whatever it is', async () => {
      const { transport } = subject;
      for (const each of subject.nodes) {
        expect(await transport.exec(each, run('echo', 'hello'), options())).toEqual({
          exitCode: 0,
          stdout: 'hello\n',
          stderr: '',
        });
      }
      const failing = await transport.exec(node(), run('sh', '-c', 'echo out; echo err >&2; exit 3'), options());
      expect(failing).toEqual({ exitCode: 3, stdout: 'out\n', stderr: 'err\n' });
      expect((await transport.exec(node(), run('no-such-program'), options())).exitCode).toBe(127);
      expect((await transport.exec(node(), run('sh', '-c', 'kill -TERM $$'), options())).exitCode).toBe(143);
    });

    test('brings hostile words through the shell as they are', async () => {
      const { stdout } = await subject.transport.exec(node(), run('printf', '%s\\0', ...HOSTILE), options());
      expect(stdout.split('\0').slice(0, -1)).toEqual(HOSTILE);
    });

    test('joins commands', async () => {
      const command = and(run('false'), run('echo', 'never'));
      expect(await subject.transport.exec(node(), command, options())).toMatchObject({ exitCode: 1, stdout: '' });
    });

    test('sends standard input, text or secret, and closes it', async () => {
      const { transport } = subject;
      const text = `first\n${'ü'.repeat(300_000)}\nlast`;
      expect((await transport.exec(node(), run('cat'), options({ stdin: text }))).stdout).toBe(text);
      expect((await transport.exec(node(), run('cat'), options({ stdin: new Secret('hf_x') }))).stdout).toBe('hf_x');
      expect((await transport.exec(node(), run('cat'), options())).stdout).toBe('');
      // A command that reads none of it.
      expect((await transport.exec(node(), run('true'), options({ stdin: text }))).exitCode).toBe(0);
    });

    test('reads 5 MB on both streams', async () => {
      const script = 'head -c 5000000 /dev/zero | tr "\\0" o; head -c 5000000 /dev/zero | tr "\\0" e >&2';
      const { stdout, stderr } = await subject.transport.exec(node(), run('sh', '-c', script), options());
      expect([stdout.length, stderr.length]).toEqual([5_000_000, 5_000_000]);
      expect(/^o+$/.test(stdout) && /^e+$/.test(stderr)).toBe(true);
    });

    test('gives whole lines as they come, characters unbroken', async () => {
      const lines: string[] = [];
      // 日 is e6 97 a5: cut in two writes.
      const script = `printf 'a\\346'; sleep 0.05; printf '\\227\\245\\r\\nlast'`;
      const { stdout } = await subject.transport.exec(
        node(),
        run('sh', '-c', script),
        options({ onLine: (line) => lines.push(line) }),
      );
      expect(lines).toEqual(['a日', 'last']);
      expect(stdout).toBe('a日\r\nlast');
      const unkept = await subject.transport.exec(node(), run('echo', 'x'), options({ onLine: () => {}, keep: false }));
      expect(unkept.stdout).toBe('');
    });

    test('rejects at once with the reason of an abort', async () => {
      const { transport } = subject;
      const reason = new Error('enough');
      await expect(transport.exec(node(), run('true'), options({ signal: AbortSignal.abort(reason) }))).rejects.toBe(
        reason,
      );
      const ending = new AbortController();
      const started = transport.exec(
        node(),
        run('sh', '-c', 'echo started; sleep 1; echo again'),
        options({ signal: ending.signal, onLine: () => ending.abort(reason) }),
      );
      const began = performance.now();
      await expect(started).rejects.toBe(reason);
      expect(performance.now() - began).toBeLessThan(900);
    });

    test('says that the outcome is unknown past the limit', async () => {
      const late = subject.transport.exec(node(), run('sleep', 1), options({ limitMs: 150 }));
      await expect(late).rejects.toMatchObject({ code: 'outcome-unknown', node: node() });
    });

    test('connects to what the node sees, and says when it is refused', async () => {
      const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
      await once(echo, 'listening');
      const address = echo.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const dial = () =>
        subject.transport.dial(
          node(),
          { host: '127.0.0.1', port },
          { signal: new AbortController().signal, limitMs: 5_000 },
        );
      const stream = await dial();
      stream.write('ping');
      const [answer] = await once(stream, 'data');
      expect(String(answer)).toBe('ping');
      stream.destroy();
      echo.close();
      await once(echo, 'close');
      await expect(dial()).rejects.toMatchObject({ code: 'unreachable' });
    });
  });
}
