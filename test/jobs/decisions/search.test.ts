import { expect, test } from 'vitest';
import { GUARDS } from './model/guards.ts';
import { REMOVED } from './model/removed.ts';
import { search } from './model/search.ts';
import type { Left } from './model/state.ts';

// Bounds: two leases taken, and at most two troubles in one run, each kind once (a lapse twice). Time, the order in which
// everything happens, and how long a command is on its way are not bounded.
const LEFT: Left = { troubles: 2, lapse: 2, taking: 2, crash: 1, lostAnswer: 1, memory: 1, cancel: 1, second: 1 };
const NONE: Left = { troubles: 2, lapse: 0, taking: 2, crash: 0, lostAnswer: 0, memory: 0, cancel: 0, second: 0 };

test('two workers, two nodes and four commands: no interleaving does what must never be', { timeout: 300_000 }, () => {
  const { states, steps, depth, violation } = search(GUARDS, LEFT);
  console.log(`${states} distinct states, ${steps} steps between them, up to ${depth} steps deep`);
  expect(violation && [violation.what, ...violation.trace].join('\n')).toBeUndefined();
  expect(states).toBeGreaterThan(100_000);
});

test.each(Object.entries(REMOVED))(
  'without this guard it finds what goes wrong: %s',
  { timeout: 120_000 },
  (name, removed) => {
    const { left, ...guards } = removed;
    const { states, violation } = search({ ...GUARDS, ...guards }, { ...NONE, ...left });
    console.log(
      [`without: ${name}`, ...(violation?.trace ?? []), `=> ${violation?.what} (${states} states)`].join('\n   '),
    );
    expect(violation?.what).toBeDefined();
  },
);
