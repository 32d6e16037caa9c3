import { Duplex } from 'node:stream';
import { toShell } from '../../../src/cluster/remote/shell.ts';
import type { Transport } from '../../../src/cluster/remote/transport.ts';
import { OperatorError } from '../../../src/errors.ts';

/** A node as reading programs see it: what status.sh, containers.sh and the number file say. */
export interface LiteralMachine {
  transport: Transport;
  away: boolean;
  number: string;
  containers: {
    name: string;
    uid: string;
    number?: number;
    recipe?: string;
    running?: boolean;
    engine?: string;
    exit?: string;
    record?: string;
  }[];
  /** Answers by the beginning of the command's text. */
  answers: Record<string, { exitCode: number; stdout: string }>;
  /** HTTP status of /health; undefined: nothing listens. */
  health?: number;
  /** What it says to whatever is asked. */
  metrics: string;
  ran: string[];
}

export function literalMachine(): LiteralMachine {
  const machine: LiteralMachine = {
    away: false,
    metrics: '',
    number: '',
    containers: [],
    answers: {},
    ran: [],
    transport: {
      async exec(node, command, { stdin }) {
        if (machine.away)
          throw new OperatorError('unreachable', `${node}: no route`, { hint: 'Look at its cable.', node });
        const text = toShell(command);
        machine.ran.push(text);
        const known = Object.entries(machine.answers).find(([start]) => text.startsWith(start));
        if (known) return { ...known[1], stderr: '' };
        if (text.includes('/number')) return { exitCode: 0, stdout: `${machine.number}\n`, stderr: '' };
        if (typeof stdin === 'string') return { exitCode: 0, stdout: sections(machine), stderr: '' };
        return { exitCode: 1, stdout: '', stderr: 'not known' };
      },
      async dial(node, { port }) {
        if (machine.health === undefined)
          throw new OperatorError('unreachable', `${node}: port ${port} is closed`, { hint: '' });
        const { health, metrics } = machine;
        const length = Buffer.byteLength(metrics);
        return answering(`HTTP/1.1 ${health} X\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n${metrics}`);
      },
      close: async () => undefined,
    },
  };
  return machine;
}

function sections({ containers }: LiteralMachine): string {
  const lines = ['# gpu', ' NVIDIA GB10, 580.95.05, 12.3, 41, 0', ' rc=0', '# containers', ' rc=0'];
  for (const {
    name,
    uid,
    number = 7,
    recipe = '',
    running = true,
    engine = 'alive',
    exit = '',
    record,
  } of containers) {
    lines.push(`# container ${name}`, ' id=0123', ` running=${running}`, ' exit=0', ' oom=false');
    lines.push(
      ' started=2026-12-01T00:00:00Z',
      ' finished=',
      ` label-deployment=${uid}`,
      ` label-number=${number}`,
      ` label-recipe=${recipe}`,
    );
    lines.push(` engine=${engine}`, ' serve-started=', ` serve-exit=${exit}`, ' rc=0');
    if (record !== undefined) lines.push(`# record ${name}`, ` ${record}`, ' rc=0');
  }
  lines.push('# foreign', ' rc=0', '# gpu-apps', ' rc=0');
  lines.push('# highest-number', ' 3', ' rc=0', '');
  return lines.join('\n');
}

/** A connection whose other end answers once it was asked. */
function answering(text: string): Duplex {
  return new Duplex({
    read: () => undefined,
    write(_chunk, _encoding, done) {
      this.push(text);
      this.push(null);
      done();
    },
  });
}
