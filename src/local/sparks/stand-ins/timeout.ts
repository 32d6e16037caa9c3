import { spawn } from 'node:child_process';

// coreutils' timeout where the system has none: `timeout [-k SECONDS] SECONDS COMMAND...`.
const [, ...words] = process.argv.slice(2);
const hard = words[0] === '-k' ? Number(words.splice(0, 2)[1]) : undefined;
const [seconds = '', program = '', ...args] = words;
const TIMED_OUT = 124;
let late = false;

const child = spawn(program, args, { stdio: 'inherit' });
const soft = setTimeout(
  () => {
    late = true;
    child.kill('SIGTERM');
    if (hard !== undefined) setTimeout(() => child.kill('SIGKILL'), hard * 1_000).unref();
  },
  Number(seconds) * 1_000,
);
child.on('error', () => end(127));
child.on('exit', (code, signal) => end(signal === 'SIGKILL' ? 137 : late ? TIMED_OUT : (code ?? 1)));

function end(code: number): void {
  clearTimeout(soft);
  process.exitCode = code;
}
