import { spawn } from 'node:child_process';

// util-linux's setsid where the system has none: the command gets a session of its own; with -f it is not waited for.
const words = process.argv.slice(3);
const forks = words[0] === '-f' || words[0] === '--fork';
const [program = '', ...args] = forks ? words.slice(1) : words;

const child = spawn(program, args, { stdio: 'inherit', detached: true });
child.on('error', () => (process.exitCode = 127));
child.on('exit', (code) => (process.exitCode = code ?? 137));
if (forks) child.unref();
