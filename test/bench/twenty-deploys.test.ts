import { expect, test } from 'vitest';
import { loadChannel } from '../../bench/twenty-deploys.ts';

test(
  'twenty deploys in one channel, passed in 20 s by two bots: no 429, and every end is told',
  { timeout: 180_000 },
  async () => {
    const { refused, ends, phases, edits } = await loadChannel({ deploys: 20, seconds: 20 });
    expect(refused).toBe(0);
    expect(ends.count).toBe(20);
    expect(phases.count).toBe(160);
    expect(edits).toBeLessThanOrEqual(50 + 45 * 2);
  },
);
