import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { PassThrough } from 'node:stream';
import type { ServerChannel } from 'ssh2';
import { foldersOf } from './make-machine.ts';
import type { Machine } from './stand-ins/machine.ts';

/** A command that came over SSH. */
export interface RanCommand {
  node: string;
  text: string;
  /** Milliseconds since 1970. */
  at: number;
  /** Once it has ended. */
  exitCode?: number;
  /** Its standard input, where that is kept. */
  input?: string;
}

export interface RunCommand {
  machine: Machine;
  command: RanCommand;
  channel: ServerChannel;
  /** Resolves when the command may start. */
  pass: (inputIsWhole: Promise<void>) => Promise<void>;
  /** Writes the command's input down. */
  keepInput: boolean;
}

const MOST_INPUT_BYTES = 64 * 1024 * 1024;

/** Runs the text in the login shell, as sshd does: a channel that closes takes the pipes away, not the process. */
export async function runCommand({ machine, command, channel, pass, keepInput }: RunCommand): Promise<void> {
  // What comes while the command is held must not be lost with its channel.
  const input = channel.pipe(new PassThrough({ highWaterMark: MOST_INPUT_BYTES }));
  const inputIsWhole = new Promise<void>((resolve) => channel.on('end', resolve).on('close', resolve));
  if (keepInput) channel.on('data', (chunk: Buffer) => (command.input = `${command.input ?? ''}${chunk.toString()}`));
  let closed = false;
  channel.on('close', () => {
    closed = true;
    input.end();
  });
  channel.on('error', () => undefined);
  await pass(inputIsWhole);

  const child = spawn('/bin/sh', ['-c', command.text], { detached: true, ...placeOf(machine) });
  // A command that was held may be let go when the machine is no more.
  child.on('error', () => channel.close());
  child.stdin.on('error', () => undefined);
  input.pipe(child.stdin);
  const dropPipes = () => {
    child.stdout.destroy();
    child.stderr.destroy();
  };
  if (closed) dropPipes();
  else {
    channel.on('close', dropPipes);
    child.stdout.pipe(channel, { end: false });
    child.stderr.pipe(channel.stderr, { end: false });
  }
  child.on('exit', (code, signal) => (command.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0)));
  child.on('close', (code, signal) => {
    if (closed) return;
    if (signal) channel.exit(signal.replace(/^SIG/, ''));
    else channel.exit(code ?? 255);
    channel.end();
  });
}

/** As a person on the machine would; rejects unless it ends well. */
export async function runOn(machine: Machine, text: string): Promise<void> {
  const child = spawn('/bin/sh', ['-c', text], { detached: true, stdio: 'ignore', ...placeOf(machine) });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`On ${machine.name}: ${text} ended with ${code}`);
}

function placeOf(machine: Machine) {
  const { home, bin } = foldersOf(machine);
  const user = { USER: 'aurora', LOGNAME: 'aurora', SHELL: '/bin/sh' };
  return { cwd: home, env: { HOME: home, PATH: bin, ...user, PRETEND_SPARK: machine.folder } };
}
