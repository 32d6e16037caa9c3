import type { CheckRow } from '../../cluster/finding.ts';
import { preflight as runChecks } from '../../cluster/probes/preflight/preflight.ts';
import type { Forcible } from '../deployment.ts';
import { named, sentence } from '../sentence.ts';
import { beforeLimit } from './before-limit.ts';
import type { Phase, Verdict } from './phase.ts';

/** Everything that can be known before a deploy begins: all rows at once. */
export const preflight: Phase = {
  name: 'preflight',

  async look(ctx) {
    const { plan, machines, signal, record } = ctx;
    const forced = new Set(record.forced?.what);
    const { rows, found, imageDigest } = await runChecks(plan, machines, {
      signal,
      limitMs: beforeLimit(ctx),
      tryImage: true,
      forced,
      tolerates: await ctx.tolerates(),
      // Plans of before had no such phase.
      replacing: plan.phases.includes('approval'),
    });
    await ctx.checks(rows);
    await ctx.keep({ found, checks: counted(rows), ...(imageDigest !== undefined && { imageDigest }) });
    return verdictOf(rows, forced);
  },
};

function counted(rows: readonly CheckRow[]): { ok: number; warnings: number } {
  const warnings = rows.filter(({ state }) => state !== 'ok').length;
  return { ok: rows.length - warnings, warnings };
}

function verdictOf(rows: readonly CheckRow[], forced: ReadonlySet<Forcible>): Verdict {
  const failed = rows.filter(({ state }) => state === 'failed');
  const warnings = rows.filter(({ state }) => state === 'warning').length;
  // What others run is passed by its own word.
  const [first, ...others] = forced.has('checks') ? failed.filter(({ check }) => check === 'foreign') : failed;
  if (!first && failed.length > 0) {
    return { state: 'done', saw: `${failed.length} of ${rows.length} checks failed, and are passed` };
  }
  if (!first) {
    return { state: 'done', saw: `${rows.length} checks, ${warnings === 0 ? 'all ok' : `${warnings} with a warning`}` };
  }
  const more = others.length === 0 ? '' : ` ${others.length} more of ${rows.length} checks failed.`;
  return {
    state: 'blocked',
    finding: {
      text: `${sentence(named(first.node, first.text))}${more}`,
      short: `${first.short ?? `${first.node} fails in ${first.check}`}${others.length === 0 ? '' : `, ${others.length} more`}`,
      node: first.node,
      // One alone is told by the text.
      lines: [first, ...others]
        .flatMap((row) => [...(others.length === 0 ? [] : [named(row.node, row.text)]), ...(row.lines ?? [])])
        .slice(0, 15),
      remedy: [...new Set([first, ...others].flatMap(({ remedy }) => remedy ?? []))].join('\n'),
    },
  };
}
