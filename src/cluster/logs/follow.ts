import { OperatorError } from '../../errors.ts';
import type { Machine } from '../machine.ts';
import { run } from '../remote/command.ts';
import { programText } from '../remote/programs.ts';

/** How the engine's process is, as follow.sh saw it. */
export type EngineState =
  | { state: 'alive' }
  /** The engine ended: "1", "signal 9". */
  | { state: 'exited'; code: string }
  /** The process is gone without a word. */
  | { state: 'lost' }
  /** The container ended. */
  | { state: 'stopped'; code: number; outOfMemory: boolean }
  /** The container started anew, without the engine. */
  | { state: 'restarted' }
  /** The container was removed. */
  | { state: 'gone' };

interface Piece {
  text: string;
  engine: EngineState;
}

/** The engine's log of the run folder, in order, from its beginning. */
export interface LogFollower {
  /** Waits up to `waitSeconds` for more, at most 64 KB at a time. An empty text with an engine that has ended is the end. */
  next: (waitSeconds: number) => Promise<Piece>;
}

export function followServeLog(head: Machine): LogFollower {
  const { paths, container, name } = head.node;
  const file = `${paths.run}/serve.log`;
  let offset = 0;
  let inode = '0';

  async function next(waitSeconds: number): Promise<Piece> {
    const args = [file, offset, inode, waitSeconds, paths.run, container.name];
    const { stdout } = await head.read(run('sh', '-s', '--', ...args), { stdin: programText('follow.sh') });
    const [, found = '0', from = '0', bytes = '0', state = '', text = ''] =
      /^# inode=(\d+) from=(\d+) bytes=(\d+) state=(.*)\n([^]*)/m.exec(stdout) ?? [];
    if (state === '') {
      throw new OperatorError('command-failed', `The engine's log on ${name} can't be read.`, {
        hint: `On ${name}: tail ${file}`,
        lines: stdout.split('\n').slice(-5),
        node: name,
      });
    }
    inode = found;
    offset = Number(from) + Number(bytes);
    return { text, engine: engineState(state) };
  }

  return { next };
}

function engineState(words: string): EngineState {
  const [state = '', code = '', oom] = words.split(' ');
  switch (state) {
    case 'exited':
      return { state, code: words.slice('exited '.length) };
    case 'stopped':
      return { state, code: Number(code), outOfMemory: oom === 'true' };
    case 'lost':
    case 'restarted':
    case 'gone':
      return { state };
    default:
      return { state: 'alive' };
  }
}
