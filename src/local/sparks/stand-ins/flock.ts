import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readText } from './files.ts';
import { processOf } from './processes.ts';

// util-linux's flock where the system has none: `flock -o -E CODE -w SECONDS FILE COMMAND...`. A folder beside the file is the lock.
const [, ...words] = process.argv.slice(2);
process.exitCode = await flock(words);

async function flock([...rest]: string[]): Promise<number> {
  let busy = 1;
  let seconds = Infinity;
  while (rest[0]?.startsWith('-')) {
    const option = rest.shift();
    if (option === '-E') busy = Number(rest.shift());
    if (option === '-w') seconds = Number(rest.shift());
    if (option === '-n') seconds = 0;
  }
  const [file = '', program = '', ...args] = rest;
  const lock = `${file}.held`;
  const limit = performance.now() + seconds * 1_000;
  while (!take(lock)) {
    if (performance.now() > limit) return busy;
    await delay(20);
  }
  const child = spawn(program, args, { stdio: 'inherit' });
  const code = await new Promise<number>((resolve) => {
    child.on('error', () => resolve(127));
    child.on('exit', (value) => resolve(value ?? 137));
  });
  rmSync(lock, { recursive: true, force: true });
  return code;
}

function take(lock: string): boolean {
  try {
    mkdirSync(lock);
    writeFileSync(join(lock, 'pid'), String(process.pid));
    return true;
  } catch {
    // A holder that was killed can't give it back.
    const pid = Number(readText(join(lock, 'pid')));
    if (pid && !processOf(pid)) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}
