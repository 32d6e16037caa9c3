import { expect, test } from 'vitest';
import { isTolerated } from '../../src/config/tolerates.ts';

const EXPORTER = 'nvcr.io/nvidia/k8s/dcgm-exporter';
const DIGEST = `sha256:${'a1'.repeat(32)}`;

test.each<[string, { name?: string; image?: string }, boolean]>([
  ['monitor', { name: 'monitor', image: 'any:1' }, true],
  ['monitor', { name: 'monitor-2', image: 'any:1' }, false],
  ['monitor', { name: 'Monitor', image: 'any:1' }, false],
  ['m.nitor', { name: 'monitor' }, false],
  [EXPORTER, { name: 'x', image: EXPORTER }, true],
  [EXPORTER, { name: 'x', image: `${EXPORTER}:4.2.0-4.1.0-ubuntu22.04` }, true],
  [EXPORTER, { name: 'x', image: `${EXPORTER}:4.2.0@${DIGEST}` }, true],
  [`${EXPORTER}:4.2.0`, { name: 'x', image: `${EXPORTER}:4.2.0` }, true],
  [`${EXPORTER}:4.2.0`, { name: 'x', image: `${EXPORTER}:4.2.0@${DIGEST}` }, true],
  [`${EXPORTER}:4.2.0`, { name: 'x', image: `${EXPORTER}:4.3.0` }, false],
  [`${EXPORTER}:4.2.0`, { name: 'x', image: EXPORTER }, false],
  [`${EXPORTER}@${DIGEST}`, { name: 'x', image: `${EXPORTER}@${DIGEST}` }, true],
  // The end of a path is another repository.
  ['dcgm-exporter', { name: 'x', image: `${EXPORTER}:4.2.0` }, false],
  [EXPORTER, { name: 'x', image: `evil.example/${EXPORTER}` }, false],
  [EXPORTER, { name: 'x', image: `${EXPORTER}-more:1` }, false],
  // Not a tag, but the registry's port.
  ['registry:5000/monitor', { name: 'x', image: 'registry:5000/monitor:1' }, true],
  ['registry', { name: 'x', image: 'registry:5000/monitor' }, false],
  ['monitor', {}, false],
])('%s and %j: %s', (each, container, tolerated) => {
  expect(isTolerated([each], container)).toBe(tolerated);
});

test('one of several is enough, and none tolerates nothing', () => {
  expect(isTolerated(['other', 'monitor'], { name: 'monitor' })).toBe(true);
  expect(isTolerated([], { name: 'monitor', image: EXPORTER })).toBe(false);
});
