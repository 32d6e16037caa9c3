import { toShell } from '../../../src/cluster/remote/shell.ts';
import type { Transport } from '../../../src/cluster/remote/transport.ts';
import { OperatorError } from '../../../src/errors.ts';

/** Nodes that only know fences: the answers of raise.sh, and a record of what was raised. */
export interface FenceNodes {
  transport: Transport;
  /** "NODE FENCE TOKEN", in order. */
  raised: string[];
  /** Texts of the changing commands. */
  changed: string[];
  /** What a node answers instead of "written", once each. */
  answers: string[];
  away: boolean;
}

export function fenceNodes(): FenceNodes {
  const nodes: FenceNodes = {
    raised: [],
    changed: [],
    answers: [],
    away: false,
    transport: {
      async exec(node, command) {
        if (nodes.away)
          throw new OperatorError('unreachable', `${node}: no route`, { hint: 'Look at its cable.', node });
        if (command.kind !== 'exec') throw new Error('not expected');
        // sh -s -- STATE HASH LOCK-WAIT REALM FENCE TOKEN ...
        if (command.words[0] === 'flock') nodes.changed.push(toShell(command));
        if (command.words[0] !== 'sh') return { exitCode: 0, stdout: '', stderr: '' };
        nodes.raised.push(`${node} ${command.words[7]} ${command.words[8]}`);
        return { exitCode: 0, stdout: `sparkops-fence: ${nodes.answers.shift() ?? 'written'}\n`, stderr: '' };
      },
      dial: () => Promise.reject(new Error('not expected')),
      close: async () => undefined,
    },
  };
  return nodes;
}
