import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/load-config.ts';
import { resolveCluster } from '../../src/config/resolve-cluster.ts';
import { CLUSTER, configFolder } from './folder.ts';

const other = (channels: string, last: number) =>
  CLUSTER.replace('[C0OPS000001]', `[${channels}]`)
    .replace('10.1.230.180', `10.1.230.${last}`)
    .replace('two Sparks', '""');

async function three() {
  return readConfig(
    await configFolder({ 'clusters/lab.yaml': other('C0LAB', 1), 'clusters/both.yaml': other('C0LAB, C0BOTH', 2) }),
  );
}

test.each([
  [{ name: 'lab' }, 'lab'],
  [{ name: 'lab', channel: 'C0OPS000001' }, 'lab'],
  [{ channel: 'C0OPS000001' }, 'spark'],
  [{ channel: 'C0BOTH' }, 'both'],
])('%j', async (asked, expected) => {
  expect(resolveCluster(await three(), asked).name).toBe(expected);
});

test('the only one there is', async () => {
  const config = await readConfig(await configFolder());
  expect(resolveCluster(config, {}).name).toBe('spark');
  expect(resolveCluster(config, { channel: 'C0ELSE' }).name).toBe('spark');
});

test('never a guess', async () => {
  const config = await three();
  expect(() => resolveCluster(config, { channel: 'C0ELSE' })).toThrow(
    expect.objectContaining({
      code: 'ambiguous',
      message: 'There are several clusters: both, lab and spark (two Sparks).',
      hint: 'Say which: on both, on lab or on spark.',
    }),
  );
  expect(() => resolveCluster(config, { channel: 'C0LAB' })).toThrow(
    expect.objectContaining({ code: 'ambiguous', message: 'This channel belongs to several clusters: both and lab.' }),
  );
  expect(() => resolveCluster(config, {})).toThrow(expect.objectContaining({ code: 'ambiguous' }));
});

test('a wrong name', async () => {
  const config = await three();
  expect(() => resolveCluster(config, { name: 'sprak', channel: 'C0OPS000001' })).toThrow(
    expect.objectContaining({
      code: 'unknown-name',
      message: 'There is no cluster "sprak". Did you mean spark?',
      hint: 'There are: both, lab and spark.',
    }),
  );
});
