import { expect, test } from 'vitest';
import { openBuckets } from '../../src/jobs/buckets.ts';

const limits = { perMinute: 60, burst: 3, reserve: 0 };

test('gives its burst, then one token a second, and says how long to wait', async () => {
  let at = 0;
  const take = openBuckets(() => at);
  for (let taken = 0; taken < 3; taken += 1) expect(await take('edits', limits)).toEqual({ ok: true });
  expect(await take('edits', limits)).toEqual({ ok: false, waitMs: 1_000 });
  at = 400;
  expect(await take('edits', limits)).toEqual({ ok: false, waitMs: 600 });
  at = 1_000;
  expect(await take('edits', limits)).toEqual({ ok: true });
  expect(await take('other', limits)).toEqual({ ok: true });
});

test('leaves the reserve to others', async () => {
  const take = openBuckets(() => 0);
  expect(await take('edits', { ...limits, reserve: 2 })).toEqual({ ok: true });
  expect(await take('edits', { ...limits, reserve: 2 })).toEqual({ ok: false, waitMs: 1_000 });
  expect(await take('edits', limits)).toEqual({ ok: true });
});
