import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { programText } from '../../src/cluster/remote/programs.ts';

interface RanProgram {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A folder for a node's state, and a `docker` that answers from files a test writes: answers/inspect-NAME, answers/top-NAME ... */
export interface FakeDocker {
  folder: string;
  /** A file of the folder; folders are made. */
  put: (path: string, text: string) => Promise<void>;
  /** What `docker VERB ... NAME` prints; undefined: it fails with `error`. */
  answer: (verb: string, name: string, text: string | undefined, error?: string) => Promise<void>;
  /** By standard input, as reading programs are run. */
  send: (programs: readonly string[], args: readonly (string | number)[]) => Promise<RanProgram>;
  /** As an installed program. */
  run: (path: string, args: readonly string[], stdin?: string) => Promise<RanProgram>;
  remove: () => Promise<void>;
}

// docker VERB [flags with their values] NAME ...: everything that was asked is appended to calls.
const DOCKER = `#!/bin/sh
printf '%s\\n' "$*" >>"$FAKE/calls"
verb=$1; shift
case $verb in
  inspect) name=$3 ;;
  top) name=$1 ;;
  ps) name=all ;;
  exec) name=$2 ;;
  *) name=any ;;
esac
[ "$verb" != run ] || { while [ $# -gt 0 ]; do [ "$1" != --env-file ] || cp "$2" "$FAKE/seen-env"; shift; done; }
answer=$FAKE/answers/$verb-$name
[ ! -e "$answer.error" ] || { cat "$answer.error" >&2; exit 1; }
[ ! -e "$answer" ] || cat "$answer"
`;

export async function fakeDocker(): Promise<FakeDocker> {
  const folder = await mkdtemp(join(tmpdir(), 'fake-docker-'));
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await mkdir(join(folder, 'answers'));
  await writeFile(join(bin, 'docker'), DOCKER);
  await chmod(join(bin, 'docker'), 0o755);
  const env = { ...process.env, FAKE: folder, PATH: `${bin}:${process.env['PATH'] ?? ''}` };

  function start(args: readonly string[], stdin: string): Promise<RanProgram> {
    return new Promise((resolve, reject) => {
      const child = spawn('sh', args, { env });
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      child.stdin.on('error', () => undefined);
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout, stderr }));
      child.stdin.end(stdin);
    });
  }

  async function put(path: string, text: string): Promise<void> {
    const whole = join(folder, path);
    await mkdir(join(whole, '..'), { recursive: true });
    await writeFile(whole, text);
  }

  return {
    folder,
    put,
    answer: async (verb, name, text, error = `Error: No such object: ${name}\n`) => {
      await rm(join(folder, `answers/${verb}-${name}.error`), { force: true });
      if (text === undefined) await put(`answers/${verb}-${name}.error`, error);
      else await put(`answers/${verb}-${name}`, text);
    },
    send: (programs, args) => start(['-s', '--', ...args.map(String)], programs.map(programText).join('')),
    run: (path, args, stdin = '') => start([path, ...args], stdin),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export function inspected(
  changes: { id?: string; startedAt?: string; running?: boolean; exit?: number; uid?: string } = {},
) {
  const { id = 'f00d', startedAt = '2026-12-01T10:00:00.5Z', running = true, exit = 0, uid = 'u1' } = changes;
  const State = {
    Status: 'x',
    Running: running,
    OOMKilled: false,
    ExitCode: exit,
    StartedAt: startedAt,
    FinishedAt: '',
  };
  const Labels = {
    maintainer: 'A, "B"',
    'sparkops.realm': 'lab',
    'sparkops.deployment': uid,
    'sparkops.number': '141',
  };
  const Env = ['HF_TOKEN=hf_secret,{"Running":false}', 'PATH=/bin'];
  return `${JSON.stringify({ Id: id, State: { ...State, Health: { Log: [{ ExitCode: 9 }] } }, Config: { Env, Labels } })}\n`;
}
