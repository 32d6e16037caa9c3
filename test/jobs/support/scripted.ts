import type { Phase, PhaseContext } from '../../../src/jobs/phases/phase.ts';
import type { PhaseName } from '../../../src/cluster/plan.ts';

/** Phases that write down what is called. What they do beyond that is set per test. */
export interface Script {
  calls: string[];
  phases: Phase[];
  on: Partial<Record<`${PhaseName} ${'look' | 'act' | 'undo'}`, (ctx: PhaseContext) => Promise<void> | void>>;
}

export function scripted(names: readonly PhaseName[] = ['preflight', 'start-head', 'serve', 'load']): Script {
  const script: Script = { calls: [], phases: [], on: {} };
  const acted = new Set<PhaseName>();
  const call = async (name: PhaseName, what: 'look' | 'act' | 'undo', ctx: PhaseContext) => {
    script.calls.push(`${name} ${what}`);
    await script.on[`${name} ${what}`]?.(ctx);
  };
  for (const name of names) {
    const isCheck = name === 'preflight' || name === 'load' || name === 'stop';
    script.phases.push({
      name,
      look: async (ctx) => {
        await call(name, 'look', ctx);
        return isCheck || acted.has(name)
          ? { state: 'done', saw: `${name} is fine` }
          : { state: 'needed', saw: 'nothing' };
      },
      ...(!isCheck && {
        act: async (ctx: PhaseContext) => {
          await call(name, 'act', ctx);
          acted.add(name);
        },
        undo: async (ctx: PhaseContext) => {
          await call(name, 'undo', ctx);
          acted.delete(name);
        },
      }),
    });
  }
  return script;
}

/** Resolves when the signal aborts, by rejecting with its reason: a phase that waits. */
export function untilStopped({ signal }: PhaseContext): Promise<void> {
  return new Promise((_, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
  });
}

/** A promise that a test settles. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
