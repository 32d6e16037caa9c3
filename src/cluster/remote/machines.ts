import { OperatorError } from '../../errors.ts';
import type { Finding } from '../finding.ts';
import type { Machine } from '../machine.ts';
import type { Plan, PlanNode } from '../plan.ts';
import { backoff } from './backoff.ts';
import type { Grip } from './grip.ts';
import { guarded, passedGuard } from './guard.ts';
import type { Transport } from './transport.ts';

export interface MachinesOptions {
  plan: Plan;
  transport: Transport;
  /** The grip of a lease that is held; waits while that is unknown, rejects when the lease is lost. */
  grip: (signal: AbortSignal) => Promise<Grip>;
  /** The run's: ends every call. */
  signal: AbortSignal;
  /** Of raiseAll, by node. While there is one, no changing command starts on any node. */
  raiseProblems?: ReadonlyMap<string, Finding>;
  /** A problem keeps only its own node from being changed, and may pass: for an undo, which removes what it can. */
  eachAlone?: boolean;
  /** Each time a reading command is about to be tried again. */
  onRetry?: (node: string, error: OperatorError) => void;
}

/** The plan's nodes for phases and probes, in the plan's order. */
export function openMachines(options: MachinesOptions): readonly [Machine, ...Machine[]] {
  const [head, ...workers] = options.plan.nodes;
  return [machine(head, options), ...workers.map((node) => machine(node, options))];
}

function machine(node: PlanNode, options: MachinesOptions): Machine {
  const { transport, signal, plan, raiseProblems, eachAlone = false, onRetry } = options;
  const { limits } = plan;
  const problem = raiseProblems?.get(node.name);
  return {
    node,
    ...(problem ? { raiseProblem: problem } : {}),

    async read(command, { limitMs = limits.readMs, ...rest } = {}) {
      const wait = backoff();
      for (;;) {
        try {
          return await transport.exec(node.name, command, { signal, limitMs, ...rest });
        } catch (error) {
          if (!mayPass(error)) throw error;
          onRetry?.(node.name, error);
          await wait(signal);
        }
      }
    },

    async change(command, { stdin } = {}) {
      if (eachAlone && problem) throw notRaisedYet(problem);
      if (!eachAlone) for (const finding of raiseProblems?.values() ?? []) throw unraised(finding);
      const words = guarded(command, await options.grip(signal), node.paths.state);
      const limitMs = limits.changeMs;
      const result = await transport.exec(node.name, words, {
        signal,
        limitMs,
        ...(stdin === undefined ? {} : { stdin }),
      });
      return passedGuard(node.name, result);
    },

    dial: (target, { limitMs = limits.connectMs } = {}) => transport.dial(node.name, target, { signal, limitMs }),
  };
}

function mayPass(error: unknown): error is OperatorError {
  return error instanceof OperatorError && (error.code === 'unreachable' || error.code === 'outcome-unknown');
}

function notRaisedYet({ text, remedy, lines, node }: Finding): OperatorError {
  return new OperatorError('unreachable', text, { hint: remedy, lines, ...(node === undefined ? {} : { node }) });
}

function unraised({ text, remedy, lines, node }: Finding): OperatorError {
  return new OperatorError('command-failed', `Nothing is changed while a node's fence is not raised. ${text}`, {
    hint: remedy,
    lines,
    ...(node === undefined ? {} : { node }),
  });
}
