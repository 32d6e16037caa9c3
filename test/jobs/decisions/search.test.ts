import { afterAll, expect, test } from 'vitest';
import { GUARDS } from './model/guards.ts';
import { REMOVED } from './model/removed.ts';
import { search } from './model/search.ts';
import { firstWorld, forgetfulWorld, secondWorld, type Left, type World } from './model/state.ts';

const NONE: Left = { troubles: 2, lapse: 0, taking: 2, crash: 0, lostAnswer: 0, memory: 0, cancel: 0, second: 0 };

/**
 * The bounds: two leases are taken, and up to two troubles come, of these kinds, at any moment. Not bounded is how long a
 * worker stands still or a command is on its way, and in which order everything else happens.
 */
const TROUBLES: readonly (readonly [Partial<Left>, (left: Left) => World])[] = [
  [{ lapse: 2 }, firstWorld],
  [{ crash: 1, lostAnswer: 1 }, firstWorld],
  [{ crash: 1, cancel: 1 }, firstWorld],
  [{ lostAnswer: 1, cancel: 1, taking: 1 }, firstWorld],
  [{ lapse: 1, cancel: 1 }, firstWorld],
  [{ cancel: 1, second: 1 }, firstWorld],
  [{ memory: 1, lapse: 1 }, firstWorld],
  [{ memory: 1, crash: 1 }, firstWorld],
  [{ memory: 1, lostAnswer: 1 }, firstWorld],
  [{ memory: 1, second: 1 }, firstWorld],
  [{ memory: 1, cancel: 1, taking: 1 }, firstWorld],
  [{ memory: 1, cancel: 1 }, forgetfulWorld],
  [{ memory: 1, lapse: 1 }, secondWorld],
  [{ memory: 1, crash: 1 }, secondWorld],
];

let all = 0;
afterAll(() => say(`${all} distinct states in all`));

test.each(TROUBLES.map(([left, from]) => [`${namesOf(left)} in ${from.name}`, left, from] as const))(
  'two workers, two nodes, four commands: no interleaving does what must never be, with %s',
  { timeout: 180_000 },
  (names, left, from) => {
    const { states, steps, depth, violation } = search(GUARDS, from({ ...NONE, ...left }));
    all += states;
    say(`${states} distinct states with ${names}, ${steps} steps between them, up to ${depth} deep`);
    expect(violation && [violation.what, ...violation.trace].join('\n')).toBeUndefined();
    expect(states).toBeGreaterThan(1_000);
  },
);

test.each(Object.entries(REMOVED))(
  'without this guard it finds what goes wrong: %s',
  { timeout: 120_000 },
  (name, removed) => {
    const { left, from = firstWorld, ...guards } = removed;
    const { states, violation } = search({ ...GUARDS, ...guards }, from({ ...NONE, ...left }));
    say([`without: ${name}`, ...(violation?.trace ?? []), `=> ${violation?.what} (${states} states)`].join('\n   '));
    expect(violation?.what).toBeDefined();
  },
);

function namesOf(left: Partial<Left>): string {
  return Object.entries(left)
    .filter(([kind]) => kind !== 'taking' && kind !== 'troubles')
    .map(([kind, count]) => `${count} ${kind}`)
    .join(' and ');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
