import { afterEach, expect, it } from 'vitest';
import { answers, cardText, eventually, say, threadText } from '../support/place.ts';
import { fault, IMAGE, onHost, running } from './support/lab.ts';
import { type LabPlace, type LabPlaceOptions, startLabPlace } from './support/lab-place.ts';

let place: LabPlace;
afterEach(async () => {
  expect(place.slack.violations).toEqual([]);
  await place.stop();
});

async function deployWith(options: LabPlaceOptions) {
  place = await startLabPlace(options);
  await place.product();
  await say(place, '/spark deploy qwen35');
  return await place.ended(1, 150_000);
}

it('names both addresses when Ray registered the one that it found by itself', async () => {
  const record = await deployWith({ image: 'drops-node-address' });

  expect(record).toMatchObject({ state: 'failed', phase: 'verify-ray' });
  for (const words of ['spark1', '10.1.230.180', '192.168.200.12', 'spark2']) {
    expect(record.cause?.text).toContain(words);
    expect(threadText(place)).toContain(words);
  }
  expect(await running()).toEqual({ spark1: [], spark2: [] });
});

it('passes over an entrypoint that swallows its command', async () => {
  const record = await deployWith({ image: 'own-entrypoint' });

  expect({ state: record.state, cause: record.cause }).toEqual({ state: 'serving' });
  expect(threadText(place)).toMatch(/entrypoint: .*passed over/);

  await onHost('spark1', `docker run -d --name by-hand ${IMAGE}:own-entrypoint ray --version`);
  const said = await eventually('a container by hand', 5_000, () => onHost('spark1', 'docker logs by-hand 2>&1'));
  expect(said).toContain('the arguments are not used');
});

it('adds the executor that a recipe for two nodes lacks', async () => {
  const record = await deployWith({
    command: (text) => text.replace(/ *--distributed-executor-backend ray \\\n/, ''),
  });

  expect({ state: record.state, cause: record.cause }).toEqual({ state: 'serving' });
  expect(record.plan.serve.added).toEqual(['--distributed-executor-backend ray']);

  const byHand = `vllm serve ${record.plan.model} -tp 2 --port 8001`;
  const head = record.plan.nodes[0].container.name;
  expect(await onHost('spark1', `docker exec ${head} ${byHand} 2>&1 || true`)).toContain(
    'World size (2) is larger than the number of available GPUs (1) in this node',
  );
});

it.each([
  ['missing', 'preflight', 'is not on this node'],
  ['without-ray', 'preflight', 'the image has no program ray'],
])('image %s ends failed at %s', async (image, phase, words) => {
  const record = await deployWith({ image });

  expect(record).toMatchObject({ state: 'failed', phase });
  expect(record.cause?.text).toContain(words);
  expect(await running()).toEqual({ spark1: [], spark2: [] });
});

it.each([
  ['hidden', 'verify-ray', 'without a GPU'],
  ['none', 'start-workers', 'could not select device driver "" with capabilities: [[gpu]]'],
  ['nvidia-container-cli: initialization error: nvml error: driver not loaded', 'start-workers', 'driver not loaded'],
])('a GPU that is %s ends it at %s', async (how, phase, words) => {
  await fault('gpu', 'spark2', how);
  try {
    const record = await deployWith({});

    expect(record).toMatchObject({ state: 'failed', phase });
    expect(record.cause?.text).toContain('spark2');
    expect([record.cause?.text, ...(record.cause?.lines ?? [])].join('\n')).toContain(words);
  } finally {
    await fault('gpu', 'spark2', 'ok');
  }
});

it('refuses a recipe that gives every node the same address', async () => {
  place = await startLabPlace({ env: { VLLM_HOST_IP: '192.168.200.12' } });
  await place.product();
  await say(place, '/spark deploy qwen35');
  await place.slack.until(() => answers(place).length === 1);

  expect(answers(place)[0]).toContain('VLLM_HOST_IP');
  expect(cardText(place)).toBe('');
});
