import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/operation/metrics.ts';
import { aRecord, at, phasesUpTo, serving } from '../bot/support/records.ts';

const metrics = () => createMetrics({ version: '0.1.0', roles: ['bot'] });

test('docs/metrics.md names every metric, with its type and labels, and no other', async () => {
  const text = await readFile(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
  const documented = [...text.matchAll(/^\| `(sparkops_\w+)` +\| (\w+) +\| (.*?) +\| \S/gm)].map(
    ([, name, type, labels]) => ({
      name,
      type,
      labels: [...(labels ?? '').matchAll(/`(\w+)`/g)].map(([, label]) => label),
    }),
  );
  const registered = metrics()
    .registry.getMetricsAsArray()
    .filter(({ name }) => name.startsWith('sparkops_'))
    .map((metric) => ({
      name: metric.name,
      type: String(metric.type),
      labels: 'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames : [],
    }));
  const byName = (one: { name?: string | undefined }, other: { name?: string | undefined }) =>
    (one.name ?? '').localeCompare(other.name ?? '');
  expect(documented.toSorted(byName)).toEqual(registered.toSorted(byName));
});

test('an end is counted by its state, a phase by how long it took', async () => {
  const { registry, recordChanged } = metrics();
  recordChanged(serving(), { kind: 'ended', state: 'serving' });
  recordChanged(serving(), { kind: 'note', phase: 'load', level: 'info', text: 'not an end' });
  recordChanged(aRecord({ phases: phasesUpTo('serve') }), { kind: 'phase', phase: 'serve', state: 'running' });
  recordChanged(aRecord({ phases: phasesUpTo('load', { state: 'done', endedAt: at(110) }) }), {
    kind: 'phase',
    phase: 'load',
    state: 'done',
  });
  const text = await registry.metrics();
  expect(text).toContain('sparkops_deployments_total{cluster="spark",state="serving"} 1\n');
  expect(text).toContain('sparkops_phase_duration_seconds_sum{cluster="spark",phase="load",state="done"} 40\n');
  expect(text).toContain('sparkops_phase_duration_seconds_count{cluster="spark",phase="load",state="done"} 1\n');
  expect(text).not.toContain('phase="serve"');
  expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
});
