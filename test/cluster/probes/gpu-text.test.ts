import { expect, test } from 'vitest';
import { gpuText } from '../../../src/cluster/probes/gpu-text.ts';

test.each([
  ['NVIDIA GB10, 580.95.05, 5.12, 38, 0', 'GB10, 5 W, 38 °C, idle'],
  ['NVIDIA GB10, 580.95.05, 45.60, 61, 96', 'GB10, 46 W, 61 °C, 96 % busy'],
  ['NVIDIA GB10, 580.95.05, [N/A], 61, [Not Supported]', 'GB10, 61 °C'],
  ['No devices were found', 'No devices were found'],
])('%s', (csv, text) => {
  expect(gpuText(csv)).toBe(text);
});
