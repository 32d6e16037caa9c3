import { expect, it } from 'vitest';
import { placementWait } from '../../../src/cluster/logs/placement-wait.ts';

const wait = (seconds: number) =>
  `INFO 12-25 11:51:21 [ray_utils.py:229] Waiting for creating a placement group of specs for ${seconds} seconds. specs=[{'GPU': 1.0, 'node:192.168.200.12': 0.001}, {'GPU': 1.0}]. Check \`ray status\``;

it('reads the latest wait and the address that is asked for', () => {
  const lines = [{ text: wait(10) }, { text: 'another line' }, { text: wait(30) }];
  expect(placementWait(lines)).toEqual({ seconds: 30, address: '192.168.200.12', line: wait(30) });
  expect(placementWait([{ text: 'Creating a new placement group.' }])).toBeUndefined();
});
