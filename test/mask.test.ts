import { expect, test } from 'vitest';
import { maskSecrets } from '../src/mask.ts';

const letters = 'aB3'.repeat(12);

test.each([
  ['Slack', `xoxb-1234567890-${letters}`],
  ['Slack, of an app', `xapp-1-A0123456789-${letters}`],
  ['Hugging Face', `hf_${letters.slice(0, 34)}`],
  ['an API key', `sk-proj-${letters}`],
  ['NVIDIA', `nvapi-${letters}`],
  ['GitHub', `ghp_${letters}`],
])('a token of %s', (_, token) => {
  expect(maskSecrets(`token=${token}, then`)).toBe('token=[masked], then');
});

test('a bearer header and the password of a URL', () => {
  expect(maskSecrets('Authorization: Bearer abcdefghijklmnop==')).toBe('Authorization: Bearer [masked]');
  expect(maskSecrets('redis://bot:s3cret@10.0.0.1:6379')).toBe('redis://bot:[masked]@10.0.0.1:6379');
});

test.each([
  'hf_transfer',
  'HF_HUB_ENABLE_HF_TRANSFER=1',
  '--hf_overrides={"architectures":["X"]}',
  'hf_model_name_or_path_of_the_weights',
  'sk-learn',
  'sk-some-long-name-of-a-thing',
  'Bearer authentication',
  'http://10.1.230.180:8000/v1',
])('%s stays readable', (text) => {
  expect(maskSecrets(text)).toBe(text);
});
