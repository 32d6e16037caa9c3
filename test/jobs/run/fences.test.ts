import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepFences } from '../../../src/jobs/run/fences.ts';
import type { Lease } from '../../../src/jobs/lease.ts';
import { fakeTransport, type FakeAnswer } from '../../support/fake-transport.ts';
import { silent } from '../support/bench.ts';
import { literalPlan } from '../support/plan.ts';

const ABOUT = { number: 7, run: 'deploy' as const, recipe: 'qwen35', by: 'Operator', since: '2026-12-01T00:00:00Z' };
const signal = new AbortController().signal;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

function place(renewed: FakeAnswer = '') {
  const checks: string[] = [];
  const lease: Lease = {
    token: 'token-1',
    fence: 3,
    state: 'held',
    lost: signal,
    grip: async () => undefined,
    raiseFence: async () => 4,
    check: () => void checks.push('check'),
    release: async () => undefined,
  };
  const transport = fakeTransport(({ text }) => (text.startsWith('sh -s') ? 'sparkops-fence: written' : renewed));
  const mutable: { -readonly [K in keyof Lease]: Lease[K] } = lease;
  const plan = literalPlan('aaaaaaaaaa');
  const fences = keepFences({ plan, transport, lease, about: ABOUT, signal, log: silent });
  return { fences, lease: mutable, checks, renewals: () => transport.texts().filter((text) => / renew /.test(text)) };
}

test('the lines of a fence are renewed every minute under its guard, from the raise to the end', async () => {
  const { fences, renewals } = place();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(renewals()).toEqual([]);
  expect(await fences.raise(signal)).toEqual([]);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(renewals()).toHaveLength(2);
  expect(renewals()[0]).toMatch(
    /^spark1: flock .* test 3 token-1 -- .*fence\.sh renew test 3 token-1 7 deploy qwen35 Operator 2026/,
  );
  fences.stop();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(renewals()).toHaveLength(2);
});

test('not while the lease is unknown', async () => {
  const { fences, lease, renewals } = place();
  await fences.raise(signal);
  lease.state = 'unknown';
  await vi.advanceTimersByTimeAsync(60_000);
  expect(renewals()).toEqual([]);
  fences.stop();
});

test('a node that refuses makes the lease look at itself at once', async () => {
  const { fences, checks } = place({ exitCode: 75, stderr: 'guard: refused' });
  await fences.raise(signal);
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(() => expect(checks).toEqual(['check']));
  fences.stop();
});
