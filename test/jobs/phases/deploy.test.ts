import { afterEach, describe, expect, it } from 'vitest';
import { PHASES } from '../../../src/jobs/phases/all.ts';
import { type Deploying, deployOnPretendSparks } from '../../support/on-pretend-sparks.ts';

let running: Deploying | undefined;

afterEach(async () => {
  await running?.stop();
  running = undefined;
});

async function on(...options: Parameters<typeof deployOnPretendSparks>): Promise<Deploying> {
  running = await deployOnPretendSparks(...options);
  return running;
}

describe('on two pretend Sparks', () => {
  it('deploys, guards what serves, removes what is left over, and stops', async () => {
    const first = await on({ loadSeconds: 2 });
    for (const name of first.plan.phases) {
      expect({ name, ...(await first.phase(name)) }).toMatchObject({ name, state: 'done' });
    }
    expect(first.rows.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(first.progress.map(({ stage }) => stage)).toContain('weights');
    expect(first.kept).toMatchObject({
      endpoint: 'http://127.0.0.1:8000',
      imageDigest: expect.stringMatching(/@sha256:/),
      smoke: { ttftMs: expect.any(Number), tokensPerSecond: expect.any(Number) },
    });
    // A process that takes over looks, and does nothing.
    for (const name of first.plan.phases)
      expect({ name, ...(await first.phase(name)) }).toMatchObject({ name, state: 'done' });
    expect(first.sparks.starts('spark1')).toMatchObject({ 'sparkops-abcdefghi1-spark1': 1, engine: 1 });

    const second = await first.another('abcdefghi2', 142);
    expect(await second.phase('preflight')).toMatchObject({ state: 'done' });
    // Everything else is judged as if it were gone, and it could come back.
    expect(second.rows.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(second.rows.find(({ check }) => check === 'serving')?.text).toMatch(
      /^serves qwen35 \(#141\); is stopped once/,
    );
    expect(second.rows.find(({ check }) => check === 'ports')?.text).toMatch(/judged as if what serves were gone$/);
    expect(second.kept).toMatchObject({
      found: [
        {
          number: 141,
          wayBack: {
            proven: true,
            text: expect.stringMatching(
              /^its plan is known, spark1 and spark2 have its image \([0-9a-f]{12}\), a driver that works, and [\d.]+ GB of disk$/,
            ),
          },
        },
      ],
    });
    // Nobody has agreed to that.
    expect(await second.phase('stop-previous')).toMatchObject({ state: 'blocked' });

    await first.sparks.kill('spark1', 'engine');
    const third = await second.another('abcdefghi3', 143);
    expect(await third.phase('preflight')).toMatchObject({ state: 'done' });
    expect(third.rows.find(({ check }) => check === 'leftovers')?.text).toContain(
      'sparkops-abcdefghi1-spark1 (#141, qwen35)',
    );
    expect(await third.phase('stop-previous')).toMatchObject({ state: 'done' });
    expect(third.sparks.containers('spark2')).toEqual([]);

    expect(await third.upTo('start-workers')).toMatchObject({ state: 'done' });
    expect(await third.phase('stop')).toMatchObject({ state: 'done' });
    expect([third.sparks.containers('spark1'), third.sparks.containers('spark2')]).toEqual([[], []]);
  }, 120_000);

  it('sees a wrong address in time, and leaves nothing behind', async () => {
    const { upTo, ctx, sparks } = await on({ faults: ['wrong-address'] });
    expect(await upTo('verify-ray')).toMatchObject({
      state: 'blocked',
      finding: {
        node: 'spark1',
        text: expect.stringMatching(
          /^spark1 registered with Ray as 10\.1\.230\.180.*, not 192\.168\.200\.12: spark2 is on the fabric only/,
        ),
      },
    });
    await PHASES['start-workers'].undo?.(ctx);
    await PHASES['start-head'].undo?.(ctx);
    expect([sparks.containers('spark1'), sparks.containers('spark2')]).toEqual([[], []]);
  });

  it('names the node without a GPU', async () => {
    const { upTo } = await on({ faults: ['ray-without-gpu'] });
    expect(await upTo('verify-ray')).toMatchObject({
      finding: { node: 'spark2', text: expect.stringContaining('without a GPU') },
    });
  });

  it('names the cause when the engine dies while it loads', async () => {
    const { upTo } = await on({ faults: ['serve-dies'] });
    expect(await upTo('load')).toMatchObject({
      state: 'blocked',
      finding: {
        node: 'spark2',
        text: expect.stringMatching(
          /^The engine ended with code 1.*: spark2: torch\.OutOfMemoryError: CUDA out of memory/,
        ),
      },
    });
  });

  it('gives up on an engine that hangs, and sees its container go', async () => {
    const { upTo, phase, sparks } = await on({ faults: ['hang'], timeouts: { load_silence: 700 } });
    expect(await upTo('load')).toMatchObject({
      finding: { text: expect.stringMatching(/^No progress for \d+ s, last seen: weights 12 of 39/) },
    });
    await sparks.kill('spark1', 'containers');
    expect(await phase('load')).toMatchObject({
      finding: { text: expect.stringContaining('The container on spark1 ended with code 137') },
    });
  });

  it('finds all that is wrong before it starts', async () => {
    const { phase, rows } = await on({ faults: ['missing-image', 'port-taken', 'entrypoint'] });
    expect(await phase('preflight')).toMatchObject({ state: 'blocked' });
    expect(
      rows.filter(({ state }) => state !== 'ok').map(({ node, check, text }) => `${node} ${check}: ${text}`),
    ).toEqual([
      "spark1 entrypoint: the image's own (serve-default, then /bin/bash) is passed over: ray is started instead",
      'spark1 ports: port 8000 is in use',
      'spark2 image: hellohal2064/vllm-qwen3.5-gb10:latest is not on this node',
    ]);
  });

  it('says in plain words that the image has no ray', async () => {
    const { phase, sparks } = await on({ faults: ['no-program'] });
    expect(await phase('preflight')).toMatchObject({
      state: 'blocked',
      finding: { text: expect.stringMatching(/^spark1: the image has no program ray\. 1 more/) },
    });
    expect([sparks.containers('spark1'), sparks.containers('spark2')]).toEqual([[], []]);
  });

  it('shows a wrong host key beside the rows of the other node', async () => {
    const { phase, rows } = await on({ faults: ['wrong-host-key'] });
    expect(await phase('preflight')).toMatchObject({ state: 'blocked' });
    expect(rows.find(({ node }) => node === 'spark2')).toMatchObject({ check: 'reach', state: 'failed' });
    expect(rows.filter(({ node, state }) => node === 'spark1' && state === 'ok').length).toBeGreaterThan(5);
  });
});
