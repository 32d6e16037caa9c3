import { expect, it } from 'vitest';
import { listensOn, parseListeners } from '../../../src/cluster/probes/listeners.ts';

it('reads the local addresses of ss -ltnH', () => {
  const lines = [
    'LISTEN 0      4096         0.0.0.0:8000      0.0.0.0:*   ',
    'LISTEN 0 128 [::]:22 [::]:*',
    'ss: bad option',
  ];
  const listeners = parseListeners(lines);
  expect(listeners).toEqual(['0.0.0.0:8000', '[::]:22']);
  expect([22, 8000, 800, 80].filter((port) => listensOn(listeners, port))).toEqual([22, 8000]);
});
