import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Deploying, deployOnPretendSparks, type RunOptions } from '../../support/on-pretend-sparks.ts';
import { unwedge } from '../../support/wedge.ts';

let running: Deploying | undefined;

afterEach(async () => {
  await running?.stop();
  running = undefined;
});

/** What serves, and a deploy that takes its place as people have agreed. */
async function serving(): Promise<Deploying> {
  running = await deployOnPretendSparks({ timeouts: { stop_previous: 90_000 } });
  expect(await running.upTo('smoke')).toEqual({ state: 'done', saw: expect.stringContaining('right answer') });
  return running;
}

const replaces = [{ uid: 'abcdefghi1', number: 141, recipe: 'qwen35' }];

function takeOver(first: Deploying, run: RunOptions = {}): Promise<Deploying> {
  return first.another('abcdefghi3', 143, { ...run, record: { replaces, ...run.record } });
}

function evidenceOf({ plan }: Deploying): string[] {
  try {
    return readdirSync(join(plan.nodes[0].paths.state, 'evidence'));
  } catch {
    return [];
  }
}

/** A question that is answered only after a while; resolves with what came of it. */
function ask({ sparks }: Deploying): Promise<string> {
  const body = JSON.stringify({ model: 'qwen35', messages: [{ role: 'user', content: 'What is 2 + 3?' }] });
  return fetch(`${sparks.engineUrl()}/v1/chat/completions`, { method: 'POST', body }).then(
    (response) => response.text(),
    () => 'cut off',
  );
}

async function metrics({ sparks }: Deploying): Promise<string> {
  return (await fetch(`${sparks.engineUrl()}/metrics`)).text();
}

async function untilRunning(first: Deploying): Promise<void> {
  await expect.poll(() => metrics(first), { timeout: 20_000 }).toMatch(/num_requests_running\S+ 1\n/);
}

describe('what serves and is to be replaced', () => {
  it('is retired with its evidence, once its requests are answered; what nobody agreed to is not', async () => {
    const first = await serving();
    const unasked = await first.another('abcdefghi2', 142);
    expect(await unasked.phase('stop-previous')).toMatchObject({ state: 'blocked' });
    expect(first.sparks.containers('spark1')).toHaveLength(1);

    await first.sparks.inject('wedged');
    const answer = ask(first);
    await untilRunning(first);
    const second = await takeOver(first);
    const retiring = second.phase('stop-previous');
    await expect
      .poll(() => second.progress[0]?.stage, { timeout: 60_000 })
      .toMatch(/^waits for 1 request, \d+ s left$/);
    const { state } = first.plan.nodes[0].paths;
    unwedge(state);
    expect(await retiring).toEqual({ state: 'done', saw: 'nothing is left over' });
    expect([first.sparks.containers('spark1'), first.sparks.containers('spark2')]).toEqual([[], []]);
    expect(await answer).toContain('The answer is 5');
    // What was seen meanwhile stays for who asks how it is used.
    expect(second.samples['abcdefghi1']?.[0]).toMatchObject({ running: 1, requests: 2, watts: 21.64 });

    const [folder = ''] = evidenceOf(first);
    expect(folder).toMatch(/^abcdefghi1-\d{8}T\d{6}Z$/);
    expect(statSync(join(state, 'evidence', folder)).mode & 0o777).toBe(0o700);
    const read = (name: string) => readFileSync(join(state, 'evidence', folder, name), 'utf8');
    expect(readdirSync(join(state, 'evidence', folder)).toSorted()).toEqual([
      'metrics.txt',
      'spark1.txt',
      'spark2.txt',
    ]);
    expect(read('metrics.txt')).toContain('vllm:request_success_total');
    expect(read('spark1.txt')).toContain('Application startup complete.');
    expect(read('spark1.txt')).toContain('"NVIDIA_VISIBLE_DEVICES=..."');
    expect(read('spark2.txt')).toContain('"Name":"/sparkops-abcdefghi1-spark2"');
    expect(second.notes).toEqual([
      expect.stringMatching(
        /^info: Evidence of qwen35 \(#141\) lies on spark1 in \S+\/evidence\/abcdefghi1-\S+\. Missing: stacks of spark1 \(the image has no py-spy\), stacks of spark2 \(the image has no py-spy\)\.$/,
      ),
    ]);
    // The engine was asked to end, and was not killed.
    expect(readFileSync(join(state, 'runs/abcdefghi1/serve.exit'), 'utf8')).toBe('signal 15\n');
    expect(second.kept).toMatchObject({ drainUntil: expect.any(String) });
  }, 150_000);

  it('is not waited for when it is wedged, and its evidence not taken twice', async () => {
    const first = await serving();
    await first.sparks.inject('wedged');
    const answer = ask(first);
    await untilRunning(first);
    const until = new Date(Date.now() + 60_000).toISOString();
    const second = await takeOver(first, { record: { drainUntil: until } });
    const tokens = Number(/generation_tokens_total\S+ (\d+)/.exec(await metrics(first))?.[1]);
    const stuck = { running: 1, waiting: 0, tokens, requests: 2, watts: 21.6, at: Date.now() - 200_000 };
    second.samples['abcdefghi1'] = [stuck];
    expect(await second.phase('stop-previous')).toMatchObject({ state: 'done' });
    expect(await answer).toBe('cut off');
    expect(second.samples['abcdefghi1']?.[1]).toMatchObject({ ...stuck, at: expect.any(Number), watts: 21.64 });
    expect(second.progress).toEqual([]);
    // A process that took over finds the deadline of the earlier one: the evidence was saved before that.
    expect(second.notes).toEqual([]);
    expect(evidenceOf(first)).toEqual([]);
  }, 150_000);
});

describe('stop', () => {
  it('saves, stops and sees that all is gone, also when the engine is down', async () => {
    const first = await serving();
    await first.sparks.kill('spark1', 'engine');
    expect(await first.phase('stop')).toEqual({
      state: 'done',
      saw: 'containers are gone, port 8000 on spark1 is closed, and no process is left to hold memory',
    });
    expect(first.progress.filter(({ stage }) => stage.startsWith('waits'))).toEqual([]);
    expect(first.notes[0]).toContain('Missing: metrics (the engine does not answer)');
    expect(evidenceOf(first)).toHaveLength(1);
  }, 150_000);
});
