import type { CheckRow } from '../../cluster/finding.ts';
import { preflight as runChecks } from '../../cluster/probes/preflight/preflight.ts';
import { named, sentence } from '../sentence.ts';
import { beforeLimit } from './before-limit.ts';
import type { Phase, Verdict } from './phase.ts';

/** Everything that can be known before a deploy begins: all rows at once. */
export const preflight: Phase = {
  name: 'preflight',

  async look(ctx) {
    const { plan, machines, signal } = ctx;
    const { rows, imageDigest } = await runChecks(plan, machines, {
      signal,
      limitMs: beforeLimit(ctx),
      tryImage: true,
    });
    await ctx.checks(rows);
    if (imageDigest !== undefined) await ctx.keep({ imageDigest });
    return verdictOf(rows);
  },
};

function verdictOf(rows: readonly CheckRow[]): Verdict {
  const failed = rows.filter(({ state }) => state === 'failed');
  const warnings = rows.filter(({ state }) => state === 'warning').length;
  const [first, ...others] = failed;
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
      lines: failed
        .flatMap((row) => [...(others.length === 0 ? [] : [named(row.node, row.text)]), ...(row.lines ?? [])])
        .slice(0, 15),
      remedy: [...new Set(failed.flatMap(({ remedy }) => remedy ?? []))].join('\n'),
    },
  };
}
