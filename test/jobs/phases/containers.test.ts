import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { PHASES } from '../../../src/jobs/phases/all.ts';
import { OperatorError } from '../../../src/errors.ts';
import { fakeRun } from '../../support/fake-machines.ts';
import type { FakeAnswer, FakeCall } from '../../support/fake-transport.ts';
import { type ContainerLines, containersAnswer } from '../../support/node-answers.ts';
import { recipe, renderedPlan } from '../../support/rendered-plan.ts';

const plan = renderedPlan();
const HEAD = 'sparkops-abcdefghij-spark1';
const WORKER = 'sparkops-abcdefghij-spark2';
const alone = renderedPlan({ recipe: { ...recipe, minNodes: 1 }, argv: ['vllm'], values: {} });

/** Two machines that hold containers: `docker run` and `docker rm` change what the next look shows. */
function pretend(
  start: Record<string, ContainerLines[]> = {},
  answer: (call: FakeCall) => FakeAnswer | undefined = () => undefined,
) {
  const held: Record<string, ContainerLines[]> = { spark1: [], spark2: [], ...start };
  const ports = new Set([22]);
  const script = (call: FakeCall): FakeAnswer => {
    const own = answer(call);
    if (own !== undefined) return own;
    const { node, text } = call;
    const here = held[node] ?? [];
    const removed = /docker rm --force (.*)$/.exec(text)?.[1]?.split(' ') ?? [];
    held[node] = here.filter(({ name }) => !removed.includes(name));
    const started = /docker run .*--name (\S+)/.exec(text)?.[1];
    if (started !== undefined) {
      if (held[node].some(({ name }) => name === started))
        return { exitCode: 125, stderr: 'docker: Conflict. The name is in use' };
      held[node].push({ name: started, uid: plan.uid });
    }
    const seen = /docker top (\S+)/.exec(text)?.[1];
    if (seen !== undefined)
      return held[node].some(({ name, running = true }) => name === seen && running) ? '' : { exitCode: 1 };
    if (text.includes('docker logs')) return { stdout: 'Local node IP: x\n', stderr: 'last words\n' };
    return text.startsWith('sh -s') ? containersAnswer(held[node], [...ports]) : '';
  };
  let dials = 0;
  const dialed: string[] = [];
  const dial = async (node: string, target: { host: string; port: number }): Promise<Duplex> => {
    dialed.push(`${node}: ${target.host}:${target.port}`);
    dials++;
    const up = held['spark1']?.some(({ name, running = true }) => name === HEAD && running);
    if (!up || dials < 3) throw new OperatorError('unreachable', 'refused', { hint: '' });
    return new Duplex({ read: () => undefined });
  };
  return { script, dial, held, ports, dialed };
}

describe('start-head', () => {
  const own = { name: HEAD, uid: plan.uid };

  it('does not touch a container of that name that is not ours', async () => {
    const { script, dial } = pretend({}, ({ text }) =>
      text.includes('docker run')
        ? { exitCode: 125, stderr: 'docker: Error response from daemon: Conflict. It is taken' }
        : undefined,
    );
    const run = fakeRun(plan, script, { dial });
    await expect(run.go(PHASES['start-head'])).rejects.toMatchObject({ code: 'command-failed', node: 'spark1' });
    expect(run.changes().filter((text) => text.includes('docker rm'))).toEqual([]);
  });

  it('writes the record and starts the container; its workers wait for Ray', async () => {
    const { script, dial, dialed } = pretend();
    const run = fakeRun(plan, script, { dial });
    expect(await run.go(PHASES['start-head'])).toEqual({ state: 'done', saw: 'its container runs on spark1' });
    expect(run.changes()).toEqual([
      expect.stringMatching(
        /^spark1: start-container.sh (\/home\/aurora\/.sparkops\/runs\/abcdefghij) \1\/deployment.json -- docker run .*sparkops.number=142/,
      ),
    ]);
    const record = run.transport.calls.find(({ text }) => text.includes('deployment.json'))?.stdin ?? '';
    expect(JSON.parse(record)).toMatchObject({ schema: 1, number: 142, uid: plan.uid, plan: { image: plan.image } });
    expect(dialed).toEqual([]);
    // look, record and container, look
    expect(run.transport.calls).toHaveLength(3);
  });

  it('waits for Ray itself when it is alone', async () => {
    const { script, dial, dialed } = pretend();
    expect(await fakeRun(alone, script, { dial }).go(PHASES['start-head'])).toEqual({
      state: 'done',
      saw: 'Ray answers at 192.168.200.12:29501, seen from spark1',
    });
    expect(dialed).toEqual(Array.from({ length: 4 }, () => 'spark1: 192.168.200.12:29501'));
  });

  it('adopts a container that runs', async () => {
    const { script, dial, held } = pretend({ spark1: [own] });
    const run = fakeRun(plan, script, { dial });
    expect(await run.go(PHASES['start-head'])).toMatchObject({ state: 'done' });
    expect(run.changes().some((text) => text.includes('docker rm'))).toBe(false);
    expect(held['spark1']).toEqual([own]);
  });

  it('replaces a container that has ended', async () => {
    const { script, dial } = pretend({ spark1: [{ ...own, running: false, exit: 1 }] });
    const run = fakeRun(plan, script, { dial });
    expect(await run.go(PHASES['start-head'])).toMatchObject({ state: 'done' });
    expect(run.changes().map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual([
      'spark1: start-container.sh',
      'spark1: docker',
      'spark1: start-container.sh',
    ]);
  });

  it('sends secrets by standard input alone', async () => {
    const secret = renderedPlan({ recipe: { ...recipe, secrets: { HF_TOKEN: 'huggingface' } } });
    const { script, dial } = pretend();
    const run = fakeRun(secret, script, { dial, secrets: { huggingface: 'hf_x' } });
    await run.go(PHASES['start-head']);
    const start = run.transport.calls.find(({ text }) => text.includes('start-container'));
    expect(start?.stdin).toMatch(/^\{.*\}\nHF_TOKEN=hf_x\n$/);
    expect(start?.text).not.toContain('hf_x');

    const without = fakeRun(secret, pretend().script, { dial });
    await expect(without.go(PHASES['start-head'])).rejects.toThrow('needs the secret huggingface (for HF_TOKEN)');
  });

  it('puts down what vLLM must not copy, where nodes differ', async () => {
    const [head, worker] = plan.nodes;
    if (!worker) throw new Error('two nodes');
    const env = { ...head.env, VLLM_CONFIG_ROOT: '/run/vllm' };
    const differing = {
      ...plan,
      nodes: [
        { ...head, env },
        { ...worker, env: { ...worker.env, NCCL_IB_HCA: 'x' } },
      ] as const,
    };
    const { script, dial } = pretend();
    const run = fakeRun(differing, script, { dial });
    await run.go(PHASES['start-head']);
    const put = run.transport.calls.find(({ text }) => text.includes('/run/vllm/'));
    expect(put?.stdin).toMatch(/^\{.*\}\n\["NCCL_IB_HCA","VLLM_CONFIG_ROOT"\]\n$/);
  });

  it('says what Docker said when it can not start', async () => {
    const { script, dial } = pretend({}, ({ text }) =>
      text.includes('docker run')
        ? { exitCode: 125, stderr: 'docker: Error response from daemon: no GPU.\n' }
        : undefined,
    );
    await expect(fakeRun(plan, script, { dial }).go(PHASES['start-head'])).rejects.toMatchObject({
      message: 'spark1 could not start its container: no GPU.',
      node: 'spark1',
    });
  });

  it('says that the record can not be written', async () => {
    const { script } = pretend({}, ({ text }) =>
      text.includes('deployment.json') ? { exitCode: 1, stderr: 'No space left' } : undefined,
    );
    await expect(fakeRun(plan, script).go(PHASES['start-head'])).rejects.toMatchObject({ lines: ['No space left'] });
  });

  it('undoes its own container, twice without harm', async () => {
    const other = { name: 'sparkops-other-spark1', uid: 'other' };
    const { script, held } = pretend({ spark1: [own, other] });
    const run = fakeRun(plan, script);
    await PHASES['start-head'].undo?.(run.ctx);
    await PHASES['start-head'].undo?.(run.ctx);
    expect(held['spark1']).toEqual([other]);
    expect(run.changes()[0]).toBe(`spark1: docker rm --force ${HEAD}`);
  });

  it('does not call undone what it can still see', async () => {
    const { script } = pretend({ spark1: [own] }, ({ text }) => (text.includes('docker rm') ? '' : undefined));
    await expect(PHASES['start-head'].undo?.(fakeRun(plan, script).ctx)).rejects.toThrow(`${HEAD} is still on spark1.`);
    const refusing = pretend({ spark1: [own] }, ({ text }) =>
      text.includes('docker rm') ? { exitCode: 1, stderr: 'Error: permission denied' } : undefined,
    );
    await expect(PHASES['start-head'].undo?.(fakeRun(plan, refusing.script).ctx)).rejects.toMatchObject({
      lines: ['Error: permission denied'],
    });
  });
});

describe('start-workers', () => {
  const head = { name: HEAD, uid: plan.uid };
  const worker = { name: WORKER, uid: plan.uid };

  it('starts them while Ray comes up, and is done when it answers where they are', async () => {
    const { script, dial, dialed } = pretend({ spark1: [head] });
    const run = fakeRun(plan, script, { dial });
    expect(await run.go(PHASES['start-workers'])).toEqual({
      state: 'done',
      saw: 'Ray answers at 192.168.200.12:29501, seen from spark2',
    });
    expect(run.changes()).toEqual([expect.stringMatching(/^spark2: start-container.sh /)]);
    expect(dialed).toEqual(Array.from({ length: 4 }, () => 'spark2: 192.168.200.12:29501'));
    // look, container, has it ended?, look
    expect(run.transport.calls.map(({ node }) => node)).toEqual(Array.from({ length: 4 }, () => 'spark2'));
  });

  it('starts one again that did not wait as long for its head', async () => {
    const { script, dial, held } = pretend({ spark1: [head] });
    let gaveUp = false;
    const slow: typeof dial = async (node, target) => {
      const [first] = held['spark2'] ?? [];
      if (first && !gaveUp) Object.assign(first, { running: false, exit: 1 });
      gaveUp ||= first !== undefined;
      return dial(node, target);
    };
    const run = fakeRun(plan, script, { dial: slow });
    expect(await run.go(PHASES['start-workers'])).toMatchObject({ state: 'done' });
    expect(run.changes().map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual([
      'spark2: start-container.sh',
      // In the way, removed, again.
      'spark2: start-container.sh',
      'spark2: docker',
      'spark2: start-container.sh',
    ]);
    expect(held['spark2']).toEqual([worker]);
  });

  it("ends at once when the head's container ends, with its last words, or is gone", async () => {
    const ending = pretend({ spark1: [{ ...head }] }, ({ text }) => {
      const [first] = ending.held['spark1'] ?? [];
      if (text.startsWith('docker top') && first) Object.assign(first, { running: false, exit: 1 });
      return undefined;
    });
    await expect(fakeRun(plan, ending.script).go(PHASES['start-workers'])).rejects.toMatchObject({
      message: 'Ray on spark1 ended with code 1 before it answered.',
      lines: ['Local node IP: x', 'last words'],
    });
    await expect(fakeRun(plan, pretend().script).go(PHASES['start-workers'])).rejects.toMatchObject({
      message: "The container of Ray's head on spark1 is gone.",
      node: 'spark1',
    });
  });

  it('says before the limit what it waited for', async () => {
    const { script } = pretend({ spark1: [head] });
    await expect(fakeRun(plan, script, { limitMs: 500 }).go(PHASES['start-workers'])).rejects.toMatchObject({
      code: 'timeout',
      message: 'Ray on spark1 runs, but nothing answers at 192.168.200.12:29501.',
    });
  });

  it('says how one ended', async () => {
    const { script } = pretend({ spark2: [{ name: WORKER, uid: plan.uid, running: false, exit: 3 }] });
    expect(await PHASES['start-workers'].look(fakeRun(plan, script).ctx)).toEqual({
      state: 'needed',
      saw: `${WORKER} ended with code 3`,
    });
  });

  it('undoes them', async () => {
    const { script, held } = pretend({ spark2: [{ name: WORKER, uid: plan.uid }] });
    await PHASES['start-workers'].undo?.(fakeRun(plan, script).ctx);
    expect(held['spark2']).toEqual([]);
  });
});

describe('stop-previous', () => {
  const left = (node: string) => ({ name: `sparkops-old-${node}`, uid: 'old', number: 140 });

  it('has nothing to do on clean nodes: one look a node', async () => {
    const { script } = pretend();
    const run = fakeRun(plan, script);
    expect(await run.go(PHASES['stop-previous'])).toEqual({ state: 'done', saw: 'nothing is left over' });
    expect(run.transport.calls).toHaveLength(2);
  });

  it('removes leftovers, head before worker, and sees that they are gone', async () => {
    const mine = { name: WORKER, uid: plan.uid };
    const { script, held } = pretend({ spark1: [left('spark1')], spark2: [left('spark2'), mine] });
    const run = fakeRun(plan, script);
    expect(await run.go(PHASES['stop-previous'])).toMatchObject({ state: 'done' });
    expect(run.changes()).toEqual([
      'spark1: docker rm --force sparkops-old-spark1',
      'spark2: docker rm --force sparkops-old-spark2',
    ]);
    expect(held).toEqual({ spark1: [], spark2: [mine] });
  });

  it('never touches what serves, nor its workers', async () => {
    const { script, held } = pretend({ spark1: [{ ...left('spark1'), engine: 'alive' }], spark2: [left('spark2')] });
    const run = fakeRun(plan, script);
    expect(await run.go(PHASES['stop-previous'])).toMatchObject({
      state: 'blocked',
      finding: { text: 'spark serves qwen35 (#140) by now. It was not touched.' },
    });
    await PHASES['stop-previous'].act?.(run.ctx);
    expect(run.changes()).toEqual([]);
    expect(held['spark2']).toHaveLength(1);
  });

  it('touches nothing when a node does not answer', async () => {
    const away = new OperatorError('login', 'spark2 refuses our key', { hint: '', node: 'spark2' });
    const { script } = pretend({ spark1: [left('spark1')] }, ({ node }) => (node === 'spark2' ? away : undefined));
    const run = fakeRun(plan, script);
    await expect(run.go(PHASES['stop-previous'])).rejects.toThrow('spark2 refuses our key');
    expect(run.changes()).toEqual([]);
  });

  it('finds a port that stays open', async () => {
    const { script, ports } = pretend();
    ports.add(8000);
    expect(await fakeRun(plan, script).go(PHASES['stop-previous'])).toMatchObject({
      state: 'blocked',
      finding: { text: 'Port 8000 on spark1 is still in use, though no container of ours is left there.' },
    });
  });
});

describe('stop-previous of what was agreed to', () => {
  const replaces = [{ uid: 'old', number: 140, recipe: 'qwen35' }];
  const old = (node: string) => ({ name: `sparkops-old-${node}`, uid: 'old', number: 140 });

  it('retires it, and leaves alone what serves beside it', async () => {
    const two = { spark1: [{ ...old('spark1'), engine: 'alive' as const }], spark2: [old('spark2')] };
    const { script, held } = pretend(two);
    const run = fakeRun(plan, script, { record: { replaces } });
    expect(await run.go(PHASES['stop-previous'])).toMatchObject({ state: 'done' });
    expect(held).toEqual({ spark1: [], spark2: [] });
    expect(run.changes().map((text) => text.replace(/-\d{8}T\d{6}Z/, '-TIME'))).toEqual([
      'spark1: keep-evidence.sh /home/aurora/.sparkops old-TIME',
      'spark1: end-engine.sh sparkops-old-spark1 /home/aurora/.sparkops/runs/old 10',
      'spark2: end-engine.sh sparkops-old-spark2 /home/aurora/.sparkops/runs/old 10',
      'spark1: docker rm --force sparkops-old-spark1',
      'spark2: docker rm --force sparkops-old-spark2',
    ]);
    // Its plan could not be read, so nobody knows where to ask it.
    expect(run.notes[1]).toBe('warning: The engine does not say whether requests run, so they are not waited for.');

    const third = { name: 'sparkops-third-spark1', uid: 'third', number: 139, engine: 'alive' as const };
    const beside = pretend({ ...two, spark1: [{ ...old('spark1'), engine: 'alive' as const }, third] });
    const careful = fakeRun(plan, beside.script, { record: { replaces } });
    expect(await careful.go(PHASES['stop-previous'])).toMatchObject({ state: 'blocked' });
    expect(careful.changes()).toEqual([]);
  });

  it('saves the evidence also of one that is down by now', async () => {
    const { script, held } = pretend({ spark1: [{ ...old('spark1'), serveExit: '1' }], spark2: [old('spark2')] });
    const run = fakeRun(plan, script, { record: { replaces } });
    expect(await run.go(PHASES['stop-previous'])).toMatchObject({ state: 'done' });
    expect(held).toEqual({ spark1: [], spark2: [] });
    expect(run.changes()[0]).toContain('keep-evidence.sh');
    expect(run.progress).toEqual([]);
    expect(run.notes).toHaveLength(1);
  });

  it('saves the evidence of what is down before a restart, not that of attempts that failed before a deploy', async () => {
    const down = () => pretend({ spark1: [{ ...old('spark1'), serveExit: '1' }], spark2: [old('spark2')] });
    const restart = fakeRun(plan, down().script, { record: { action: 'restart' } });
    expect(await restart.go(PHASES['stop-previous'])).toMatchObject({ state: 'done' });
    expect(restart.changes().filter((text) => text.includes('evidence'))).toHaveLength(1);
    const deploy = fakeRun(plan, down().script, { record: { action: 'deploy' } });
    expect(await deploy.go(PHASES['stop-previous'])).toMatchObject({ state: 'done' });
    expect(deploy.changes().filter((text) => text.includes('evidence'))).toEqual([]);
  });

  it('is not done while a process of it lives on', async () => {
    const { script } = pretend({}, ({ node, text }) =>
      text.startsWith('sh -s')
        ? containersAnswer([], [22], node === 'spark2' ? ['old 4711 ray::RayWorker', 'other 1 x'] : [])
        : undefined,
    );
    const run = fakeRun(plan, script, { record: { replaces } });
    expect(await run.go(PHASES['stop-previous'])).toEqual({
      state: 'blocked',
      finding: {
        short: 'a process of it hangs on spark2',
        text: "Its containers are gone, but a process of it on spark2 can't be ended and may hold the GPU's memory.",
        node: 'spark2',
        lines: ['spark2: 4711 ray::RayWorker'],
        remedy: 'On spark2: sudo kill -9 4711. If it stays, only a reboot of spark2 gives the memory back.',
      },
    });
    expect(await fakeRun(plan, script).go(PHASES['stop-previous'])).toMatchObject({ state: 'done' });
  });
});

describe('stop', () => {
  const serves = () => ({
    spark1: [{ name: HEAD, uid: plan.uid, engine: 'alive' as const }],
    spark2: [{ name: WORKER, uid: plan.uid }],
  });
  const GONE = 'containers are gone, port 8000 on spark1 is closed, and no process is left to hold memory';

  it('saves the evidence, ends the engine, removes head before worker, and is done when all is gone', async () => {
    const { script, held } = pretend(serves());
    const run = fakeRun(plan, script);
    expect(await run.go(PHASES.stop)).toEqual({ state: 'done', saw: GONE });
    expect(run.changes().map((text) => text.replace(/-\d{8}T\d{6}Z/, '-TIME'))).toEqual([
      'spark1: keep-evidence.sh /home/aurora/.sparkops abcdefghij-TIME',
      `spark1: end-engine.sh ${HEAD} /home/aurora/.sparkops/runs/abcdefghij 10`,
      `spark2: end-engine.sh ${WORKER} /home/aurora/.sparkops/runs/abcdefghij 10`,
      `spark1: docker rm --force ${HEAD}`,
      `spark2: docker rm --force ${WORKER}`,
    ]);
    expect(held).toEqual({ spark1: [], spark2: [] });
    expect(run.kept).toMatchObject({ drainUntil: expect.stringMatching(/^\d{4}-/) });
    // Nothing answers there, so nobody knows whether requests run.
    expect(run.notes).toEqual([
      expect.stringMatching(/^info: Evidence of qwen35 \(#142\) lies on spark1 in .*\. Missing: metrics /),
      'warning: The engine does not say whether requests run, so they are not waited for.',
    ]);
  });

  it('goes on without evidence, and says so', async () => {
    const { script, held } = pretend(serves(), ({ text }) =>
      text.includes('keep-evidence.sh') ? { exitCode: 1, stderr: 'cannot create: No space left on device' } : undefined,
    );
    const run = fakeRun(plan, script);
    expect(await run.go(PHASES.stop)).toMatchObject({ state: 'done' });
    expect(run.notes[0]).toBe(
      'warning: No evidence of qwen35 (#142) was saved: spark1 could not save the evidence. It is stopped all the same.',
    );
    expect(held).toEqual({ spark1: [], spark2: [] });
  });

  it('touches nothing more once a newer process acts', async () => {
    const { script, held } = pretend(serves(), ({ text }) =>
      text.includes('keep-evidence.sh') ? { exitCode: 75, stderr: 'guard: refused' } : undefined,
    );
    await expect(fakeRun(plan, script).go(PHASES.stop)).rejects.toMatchObject({ code: 'stale-fence' });
    expect(held['spark1']).toHaveLength(1);
  });

  it('goes on where an earlier process was: with its deadline, and its evidence', async () => {
    const { script } = pretend({ spark2: serves().spark2 });
    const run = fakeRun(plan, script, { record: { drainUntil: new Date(Date.now() - 5_000).toISOString() } });
    expect(await run.go(PHASES.stop)).toMatchObject({ state: 'done' });
    expect(run.changes()).toEqual([
      `spark2: end-engine.sh ${WORKER} /home/aurora/.sparkops/runs/abcdefghij 10`,
      `spark2: docker rm --force ${WORKER}`,
    ]);
    expect(run.notes).toEqual([]);
  });

  it('is done when nothing is there', async () => {
    expect(await fakeRun(plan, pretend().script).go(PHASES.stop)).toMatchObject({ state: 'done', saw: GONE });
  });

  it('does not call stopped what still answers', async () => {
    const { script, ports } = pretend();
    ports.add(8000);
    expect(await fakeRun(plan, script).go(PHASES.stop)).toMatchObject({
      state: 'blocked',
      finding: { text: 'The containers of qwen35 are gone, but port 8000 on spark1 is still open.' },
    });
  });

  it('does not call stopped what lives on', async () => {
    const { script } = pretend({}, ({ node, text }) =>
      text.startsWith('sh -s')
        ? containersAnswer([], [22], node === 'spark1' ? [`${plan.uid} 77 vllm`] : [])
        : undefined,
    );
    expect(await fakeRun(plan, script).go(PHASES.stop)).toMatchObject({
      state: 'blocked',
      finding: { node: 'spark1', lines: ['spark1: 77 vllm'] },
    });
  });
});
