import { spawn } from 'node:child_process';
import { appendFileSync, renameSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { forgetGroup, recordGroup } from './containers.ts';
import { writeWhole } from './files.ts';

const LIMIT_BYTES = 50 * 1024 * 1024;

/** What programs/serve.py does: runs the engine in a session of its own, keeps its output and its end in the run folder. */
export async function serve([run = '', dashes, program = '', ...args]: string[]): Promise<number> {
  if (dashes !== '--' || !program) {
    process.stderr.write('serve.py RUN -- ARGV...\n');
    return 1;
  }
  process.umask(0o077);
  const container = process.env['PRETEND_CONTAINER'] ?? '';
  const log = logFile(join(run, 'serve.log'));
  const engine = spawn(program, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  engine.stdout.on('data', log);
  engine.stderr.on('data', log);
  const pid = engine.pid;
  if (pid !== undefined) {
    recordGroup(container, pid);
    writeWhole(join(run, 'serve.pid'), `${pid}\n`);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => process.kill(-pid, signal));
  }
  const ending = await new Promise<string>((resolve) => {
    engine.on('error', () => {
      log(Buffer.from(`serve.py: ${program}: No such file or directory\n`));
      resolve('127');
    });
    engine.on('close', (code, signal) => resolve(signal ? `signal ${constants.signals[signal]}` : String(code)));
  });
  writeWhole(join(run, 'serve.exit'), `${ending}\n`);
  if (pid !== undefined) forgetGroup(container, pid);
  return 0;
}

/** Two files at most: PATH and PATH.1. */
function logFile(path: string): (data: Buffer) => void {
  appendFileSync(path, '');
  let { size } = statSync(path);
  return (data) => {
    if (size + data.length > LIMIT_BYTES) {
      renameSync(path, `${path}.1`);
      size = 0;
    }
    appendFileSync(path, data);
    size += data.length;
  };
}
