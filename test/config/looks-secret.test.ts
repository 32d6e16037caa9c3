import { expect, test } from 'vitest';
import { holdsSecret, looksSecret } from '../../src/config/looks-secret.ts';

test.each(['hf_abc', 'sk-abc', 'xoxb-1-2', 'xapp-1', ' ghp_x', `a=hf_${'x'.repeat(30)}`, 'HF_abc'])(
  '%s looks like one',
  (word) => {
    expect(looksSecret(word)).toBe(true);
  },
);

test.each(['fp8', '0.8', 'qwen3_coder', 'self_hf_', 'task-1', 'disk-usage', 'hfx'])('%s does not', (word) => {
  expect(looksSecret(word)).toBe(false);
});

test.each(['--hf_overrides', 'hf_config', 'sk-learn', 'xox'])('%s may stand in a file', (text) => {
  expect(holdsSecret(text)).toBe(false);
});
