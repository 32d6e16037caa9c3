import { describe, expect, it } from 'vitest';
import { PHASES } from '../../../src/jobs/phases/all.ts';
import { fakeRun } from '../../support/fake-machines.ts';
import type { FakeAnswer, FakeCall } from '../../support/fake-transport.ts';
import { type ContainerLines, containersAnswer, ID, STARTED } from '../../support/node-answers.ts';
import { renderedPlan } from '../../support/rendered-plan.ts';

const plan = renderedPlan();
const own: ContainerLines = { name: 'sparkops-abcdefghij-spark1', uid: plan.uid };
const recorded = { serveStarted: `${ID} ${STARTED}` };

const LOG = '(APIServer pid=1) INFO 12-01 10:00:00 [x.py:1] hello\n(APIServer pid=1) ValueError: no such flag\n';

function on(
  containers: () => ContainerLines[],
  answer: (call: FakeCall) => FakeAnswer | Promise<FakeAnswer> | undefined = () => undefined,
) {
  return (call: FakeCall): FakeAnswer | Promise<FakeAnswer> => {
    const given = answer(call);
    if (given !== undefined) return given;
    if (call.text.startsWith('tail ')) return LOG;
    if (call.text.startsWith('docker logs')) return { stdout: 'Ray runtime started.\n' };
    return call.text.startsWith('sh -s') ? containersAnswer(containers()) : '';
  };
}

describe('serve', () => {
  it('starts the engine and sees it, in three commands', async () => {
    const container = { ...own };
    const run = fakeRun(
      plan,
      on(
        () => [container],
        ({ text }) => {
          if (text.includes('start-serve.sh')) Object.assign(container, { engine: 'alive', ...recorded });
          return undefined;
        },
      ),
    );
    expect(await run.go(PHASES.serve)).toEqual({ state: 'done', saw: 'the engine runs in sparkops-abcdefghij-spark1' });
    expect(run.changes()).toEqual([
      `spark1: start-serve.sh ${own.name} /home/aurora/.sparkops/runs/abcdefghij -- ${plan.serve.argv.join(' ')}`,
    ]);
    expect(run.transport.calls).toHaveLength(3);
  });

  it.each<[string, Partial<ContainerLines>, string]>([
    ['runs, but is not recorded', { engine: 'alive' }, 'the engine runs, but its start is not recorded'],
    ['never ran', {}, 'no engine runs'],
    [
      'ran in an earlier start of the container',
      { serveStarted: `${ID} 2026-12-01T09:00:00Z`, serveExit: '1' },
      'no engine runs',
    ],
  ])('acts when the engine %s', async (_, changes, saw) => {
    const run = fakeRun(
      plan,
      on(() => [{ ...own, ...changes }]),
    );
    expect(await PHASES.serve.look(run.ctx)).toEqual({ state: 'needed', saw });
  });

  it.each<[string, ContainerLines[], string]>([
    ['has ended', [{ ...own, ...recorded, serveExit: '2' }], 'The engine ended with code 2: ValueError: no such flag'],
    [
      'was killed',
      [{ ...own, ...recorded, serveExit: 'signal 9' }],
      'The engine was killed by signal 9: ValueError: no such flag',
    ],
    [
      'has ended before its start was recorded',
      [{ ...own, serveExit: '2' }],
      'The engine ended with code 2: ValueError: no such flag',
    ],
    ['is lost', [{ ...own, ...recorded }], 'The engine is gone without a word: ValueError: no such flag'],
    [
      'went with its container',
      [{ ...own, ...recorded, running: false, exit: 137, oom: true }],
      'The container on spark1 ended with code 137, out of memory: ValueError: no such flag',
    ],
    ['lost its container', [], 'The container on spark1 was removed by someone else: ValueError: no such flag'],
  ])('is blocked when the engine %s', async (_, containers, text) => {
    const run = fakeRun(
      plan,
      on(() => containers),
    );
    expect(await PHASES.serve.look(run.ctx)).toMatchObject({
      state: 'blocked',
      finding: {
        text,
        node: 'spark1',
        lines: ['hello', 'ValueError: no such flag'],
        remedy: expect.stringContaining('serve.log on spark1'),
      },
    });
  });

  it("shows the container's last words when the engine has none", async () => {
    const run = fakeRun(
      plan,
      on(
        () => [],
        ({ text }) => (text.startsWith('tail ') ? { exitCode: 1 } : undefined),
      ),
    );
    expect(await PHASES.serve.look(run.ctx)).toMatchObject({ finding: { lines: ['Ray runtime started.'] } });
  });

  it('looks again when it can not see the processes', async () => {
    const run = fakeRun(
      plan,
      on(() => [{ ...own, engine: 'unknown' }]),
    );
    await expect(PHASES.serve.look(run.ctx)).rejects.toMatchObject({ code: 'outcome-unknown' });
  });

  it('says why the engine could not be started', async () => {
    const run = fakeRun(
      plan,
      on(
        () => [own],
        ({ text }) => (text.includes('start-serve') ? { exitCode: 126, stderr: 'no python3' } : undefined),
      ),
    );
    await expect(run.go(PHASES.serve)).rejects.toThrow('The engine could not be started on spark1: no python3');
  });
});

describe('load', () => {
  /** Answers of follow.sh, one after the other; the last one again and again. */
  function following(pieces: readonly [string, string][]) {
    let at = 0;
    return ({ text }: FakeCall): FakeAnswer | undefined => {
      if (!text.includes('serve.log')) return undefined;
      const [state, log] = pieces[Math.min(at++, pieces.length - 1)] ?? ['alive', ''];
      return `# inode=5 from=0 bytes=${Buffer.byteLength(log)} state=${state}\n${log}`;
    };
  }

  const bar = 'Loading safetensors checkpoint shards:  53% Completed | 21/39 [00:01<08:00, 1.0s/it]\n';
  const worker = '(EngineCore_DP0 pid=1) (RayWorkerWrapper pid=2, ip=192.168.200.13) ERROR 12-01 10:00:00 [w.py:1]';

  it('ends at once when the engine ends, with the cause and the node it is of', async () => {
    const run = fakeRun(
      plan,
      on(
        () => [],
        following([
          ['alive', bar],
          ['alive', `${worker} torch.OutOfMemoryError: CUDA out of memory.\n`],
          ['exited 1', ''],
        ]),
      ),
    );
    expect(await PHASES.load.look(run.ctx)).toMatchObject({
      state: 'blocked',
      finding: {
        node: 'spark2',
        text: 'The engine ended with code 1 in step weights: spark2: torch.OutOfMemoryError: CUDA out of memory.',
        short: 'spark2 ran out of GPU memory',
        lines: ['spark2: torch.OutOfMemoryError: CUDA out of memory.'],
      },
    });
    expect(run.progress).toEqual([{ stage: 'weights', percent: 53, done: 21, total: 39, secondsLeft: 480 }]);
  });

  it('reads what is left of the log before it says why', async () => {
    const run = fakeRun(
      plan,
      on(
        () => [],
        following([
          ['exited 1', 'RuntimeError: last words\n'],
          ['exited 1', ''],
        ]),
      ),
    );
    expect(await PHASES.load.look(run.ctx)).toMatchObject({
      finding: { text: expect.stringContaining('RuntimeError: last words') },
    });
  });

  it.each([
    ['lost', 'The engine is gone without a word in step weights'],
    ['stopped 137 true', 'The container on spark1 ended with code 137, out of memory in step weights'],
    ['restarted', 'The container on spark1 was restarted, and the engine went with it in step weights'],
    ['gone', 'The container on spark1 was removed by someone else in step weights'],
  ])('tells of an engine that is %s', async (state, text) => {
    const run = fakeRun(
      plan,
      on(
        () => [],
        following([
          ['alive', bar],
          [state, ''],
        ]),
      ),
    );
    expect(await PHASES.load.look(run.ctx)).toMatchObject({ finding: { text: expect.stringContaining(text) } });
  });

  it('gives up on silence, which only progress ends', async () => {
    const silent = { ...plan, limits: { ...plan.limits, silenceMs: 50 } };
    const noise = 'INFO: "GET /health HTTP/1.1" 503\n';
    const run = fakeRun(
      silent,
      on(
        () => [],
        following([
          ['alive', bar],
          ['alive', noise],
        ]),
      ),
    );
    expect(await PHASES.load.look(run.ctx)).toMatchObject({
      finding: {
        text: 'No progress for 0 s, last seen: weights 21 of 39, 53 %.',
        lines: expect.arrayContaining([noise.trim()]),
      },
    });
  });

  it('gives up before its limit, with what it saw', async () => {
    let shard = 0;
    const run = fakeRun(
      plan,
      on(
        () => [],
        ({ text }) => {
          const line = `Loading safetensors checkpoint shards:  1% Completed | ${shard++}/99999 [00:01<08:00, 1.0s/it]\n`;
          return text.includes('serve.log') ? `# inode=5 from=0 bytes=${line.length} state=alive\n${line}` : undefined;
        },
      ),
      { limitMs: 100 },
    );
    expect(await PHASES.load.look(run.ctx)).toMatchObject({
      finding: { text: expect.stringMatching(/^Not loaded after 0 s, last seen: weights \d+ of 99999, 1 %\.$/) },
    });
  });

  it('says that the log can not be read', async () => {
    const run = fakeRun(
      plan,
      on(
        () => [],
        ({ text }) => (text.includes('serve.log') ? 'sh: tail: not found\n' : undefined),
      ),
    );
    await expect(PHASES.load.look(run.ctx)).rejects.toThrow("The engine's log on spark1 can't be read.");
  });
});

describe('verify-ray', () => {
  const node = (address: string, gpu = 1) => ({
    address,
    hostname: 'h',
    alive: true,
    gpu,
    head: address.endsWith('12'),
  });
  const good = [node('192.168.200.12'), node('192.168.200.13')];
  const answering =
    (nodes: object[]) =>
    ({ text }: FakeCall) =>
      text.includes('ray-nodes') ? `${JSON.stringify(nodes)}\n` : undefined;

  it('is done when all have registered: one command', async () => {
    const run = fakeRun(
      plan,
      on(() => [], answering(good)),
    );
    expect(await PHASES['verify-ray'].look(run.ctx)).toMatchObject({ state: 'done' });
    expect(run.transport.calls).toHaveLength(1);
  });

  it('is blocked by a wrong address', async () => {
    const run = fakeRun(
      plan,
      on(() => [], answering([node('192.168.200.12'), node('172.17.0.3')])),
    );
    expect(await PHASES['verify-ray'].look(run.ctx)).toMatchObject({ state: 'blocked', finding: { node: 'spark2' } });
  });

  it("shows a missing node's last words", async () => {
    const run = fakeRun(
      plan,
      on(() => [], answering([node('192.168.200.12')])),
    );
    expect(await PHASES['verify-ray'].look(run.ctx)).toMatchObject({
      state: 'blocked',
      finding: {
        node: 'spark2',
        text: 'spark2 did not register with Ray within 4 s.',
        lines: ['192.168.200.12 (h, head): alive, GPU 1', 'Ray runtime started.'],
      },
    });
    expect(run.transport.texts().at(-1)).toMatch(/^spark2: docker logs --tail \d+ sparkops-abcdefghij-spark2$/);
  });

  it('does not wait for a node whose container has ended', async () => {
    const run = fakeRun(
      plan,
      on(
        () => [own, { name: 'sparkops-abcdefghij-spark2', uid: plan.uid, running: false, exit: 1 }],
        ({ node, text }) => {
          if (text.includes('ray-nodes')) return new Promise<never>(() => undefined);
          return text.startsWith('docker top') && node === 'spark2' ? { exitCode: 1 } : undefined;
        },
      ),
      { limitMs: 60_000 },
    );
    expect(await PHASES['verify-ray'].look(run.ctx)).toMatchObject({
      finding: { node: 'spark2', text: 'The container on spark2 ended with code 1 before Ray had all nodes.' },
    });
  });
});
