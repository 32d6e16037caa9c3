import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

// A machine that can't hold the lab says so, and changes nothing. Each lack is real, in mounts of its own.

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sparkops-machine-'));
  // Where an ordinary user can read it too.
  await cp(fileURLToPath(new URL('..', import.meta.url)), join(folder, 'lab'), { recursive: true });
  await run(['chmod', '-R', 'a+rX', folder]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(words: readonly string[]) {
  const [program = '', ...rest] = words;
  const env = { PATH: process.env['PATH'], SPARKOPS_LAB_CACHE: join(folder, 'cache') };
  const child = spawn(program, rest, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
  const closed = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  return { code: child.exitCode, stdout, stderr };
}

/** `lab.sh up` where the lab isn't up: after the shell's `steps`, by way of `through`. */
function up(steps: string, ...through: string[]) {
  const script = `mount -t tmpfs none /run && ${steps} && exec "$@"`;
  return run(['unshare', '--mount', 'sh', '-c', script, 'sh', ...through, join(folder, 'lab', 'lab.sh'), 'up']);
}

// As on a machine of another family: without the package, and without what could install it.
const WITHOUT_APT = [
  'awk -v RS= -v ORS="\\n\\n" "!/^Package: python3-pip\\n/" /var/lib/dpkg/status >/run/status',
  'mount --bind /run/status /var/lib/dpkg/status',
  'mkdir /run/bin && ln -sf /usr/bin/* /usr/sbin/* /run/bin && rm /run/bin/apt-get && PATH=/run/bin',
].join(' && ');

it.each([
  [
    'root',
    'true',
    ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'],
    /^lab: needs root: namespaces, mounts and Docker daemons\n$/,
  ],
  ['namespaces', 'true', ['setpriv', '--bounding-set=-sys_admin'], /^lab: this machine lets nobody make namespaces\n$/],
  [
    'network devices',
    'true',
    ['setpriv', '--bounding-set=-net_admin'],
    /^lab: no veth device can be made here: .*not permitted\n$/,
  ],
  ['pip', 'mount -t tmpfs none /usr/lib/python3/dist-packages/pip', [], /^lab: Python has no pip, .*\n$/],
  ['a package and apt-get', WITHOUT_APT, [], /^lab: missing, and there is no apt-get to install it: python3-pip\n$/],
])('says in one line that it lacks %s, and exits 1', async (_what, steps, through, words) => {
  expect(await up(steps, ...through)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(words) });
});
