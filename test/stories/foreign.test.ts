import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { APPROVER, OPERATOR, OPS_CHANNEL } from '../../src/local/slack/people.ts';
import {
  answers,
  approve,
  eventually,
  type Place,
  requests,
  running,
  say,
  startPlace,
  threadText,
} from '../support/place.ts';

let place: Place;
afterEach(async () => {
  expect(place.slack.violations).toEqual([]);
  await place.stop();
});

/** What the Operator is answered next. */
async function answerTo(text: string, person = OPERATOR): Promise<string> {
  const before = answers(place, person).length;
  await say(place, text, person);
  return eventually(`an answer to ${text}`, 20_000, () => answers(place, person)[before]);
}

it(
  'what somebody started by hand is named, keeps a deploy away, and can be claimed',
  { timeout: 120_000 },
  async () => {
    place = await startPlace({ faults: ['foreign-container', 'foreign-process'] });
    await place.product();

    const status = await answerTo('/spark status spark');
    expect(status).toContain(
      'spark FOREIGN: vllm_node, python3 were not started by me, 155 GB on 2 nodes. I leave them alone.',
    );
    expect(status).toMatch(
      /Container vllm_node on spark1 and spark2 since .*, user root inside, image hellohal2064\/vllm-qwen3.5-gb10:latest, port 8000\./,
    );
    expect(status).toContain('It comes back after a reboot (unless-stopped).');
    expect(status).toContain('Deploys on spark are refused while they run.');

    await say(place, '/spark deploy qwen35');
    const record = await place.ended(1);
    expect(record).toMatchObject({ state: 'failed', phase: 'preflight' });
    expect(record.cause?.text).toMatch(
      /^spark1: not started by this sparkops: container vllm_node \(image \S+, user root inside, port 8000, restart unless-stopped, 71 GB of GPU memory\)\./,
    );
    expect(record.remedy).toContain('stop-foreign vllm_node on spark');
    expect(record.remedy).toContain('force foreign reason:');
    expect(threadText(place)).toContain('vllm_node');
    expect(running(place)).toEqual({ spark1: ['vllm_node'], spark2: ['vllm_node'] });
    expect(await answerTo('/spark check qwen35')).toContain('vllm_node');

    // The button of the status does what is typed.
    const shown = place.slack.ephemerals(OPERATOR).find((message) => place.slack.textOf(message).includes('FOREIGN'));
    await place.slack.click(OPERATOR, shown?.ts ?? '', 'mine-0');
    const claimed = () => place.slack.messages(OPS_CHANNEL).map(place.slack.textOf).join('\n');
    await eventually('the channel is told', 20_000, () => claimed().includes('vllm_node on spark1 and spark2 is'));
    expect(await answerTo('/spark status spark')).toMatch(/says that it is theirs\.\n/);
    expect(await answerTo('/spark mine vlm_node on spark')).toContain('Did you mean vllm_node?');

    await place.sparks.kill('spark1', 'containers');
    await place.sparks.kill('spark2', 'containers');
    expect(await answerTo('/spark status spark')).not.toContain('vllm_node');
    expect(await answerTo('/spark mine vllm_node on spark', APPROVER)).toContain('Not noted');
  },
);

/** The Operator presses [Ask to stop it] in the answer to a status. */
async function askToStop(place: Place): Promise<void> {
  const before = place.slack.ephemerals(OPERATOR).length;
  await say(place, '/spark status spark');
  const shown = await eventually('a status', 20_000, () => place.slack.ephemerals(OPERATOR)[before]);
  await place.slack.click(OPERATOR, shown.ts, 'stop-foreign-0');
}

/** What docker was asked to change of what others run, oldest first: "spark1: update ID". */
function dockerChanges(place: Place): string[] {
  return place.sparks.commands.flatMap(({ node, text }) => {
    const [, verb, id] = /docker (update '--restart=no'|stop -t \d+) ([0-9a-f]{64})/.exec(text) ?? [];
    return verb === undefined ? [] : [`${node}: ${verb.split(' ')[0]} ${id}`];
  });
}

function idsOf(place: Place): Record<'spark1' | 'spark2', string | undefined> {
  const on = (node: 'spark1' | 'spark2') => place.sparks.containers(node).find(({ name }) => name === 'vllm_node')?.id;
  return { spark1: on('spark1'), spark2: on('spark2') };
}

it('what somebody started by hand is stopped once that is approved, and makes room', { timeout: 120_000 }, async () => {
  place = await startPlace({ faults: ['foreign-container'] });
  await place.product();
  await say(place, '/spark deploy qwen35');
  expect(await place.ended(1)).toMatchObject({
    state: 'failed',
    phase: 'preflight',
    remedy: expect.stringContaining('stop-foreign vllm_node on spark'),
  });

  await askToStop(place);
  const request = await eventually('the request stands there', 30_000, () => requests(place)[0]);
  const asked = place.slack.textOf(request);
  expect(asked).toContain('spark: stop vllm_node on spark1 and vllm_node on spark2? (#2)\n@Operator asks for it.');
  expect(asked).toContain('Stops what I did not start: vllm_node on spark1 and vllm_node on spark2.');
  expect(running(place)).toEqual({ spark1: ['vllm_node'], spark2: ['vllm_node'] });
  expect(dockerChanges(place)).toEqual([]);

  await place.slack.click(APPROVER, request.ts, 'approve');
  const record = await place.ended(2);
  expect(record).toMatchObject({ state: 'stopped', run: 'stop-foreign' });
  expect(record.phases.at(-1)).toMatchObject({
    name: 'stop-foreign',
    saw: 'stopped: vllm_node on spark1, vllm_node on spark2; ports are closed, GPU memory is free',
  });
  const { spark1, spark2 } = idsOf(place);
  for (const [node, id] of Object.entries({ spark1, spark2 })) {
    const changes = dockerChanges(place).filter((text) => text.startsWith(node));
    expect(changes).toEqual([`${node}: update ${id}`, `${node}: stop ${id}`]);
  }
  expect(running(place)).toEqual({ spark1: [], spark2: [] });
  expect(threadText(place)).toContain('spark STOPPED: vllm_node, which I did not start. @Operator');
  expect(threadText(place)).toContain('Approved by @Approver.');
  expect(await answerTo('/spark status spark')).toContain('spark FREE: nothing serves');

  await say(place, '/spark deploy qwen35');
  expect(await place.ended(3)).toMatchObject({ state: 'serving' });
});

it('another container of that name, started since it was asked, is left alone', { timeout: 120_000 }, async () => {
  place = await startPlace({ faults: ['foreign-container'] });
  await place.product();
  const before = idsOf(place);
  await askToStop(place);
  const request = await eventually('the request stands there', 30_000, () => requests(place)[0]);

  await place.sparks.inject('foreign-container');
  const now = idsOf(place);
  expect([now.spark1, now.spark2]).not.toContain(before.spark1);
  await place.slack.click(APPROVER, request.ts, 'approve');
  expect(await place.ended(1)).toMatchObject({
    state: 'void',
    approval: { decision: { kind: 'void', why: 'vllm_node on spark1 is another one by now' } },
  });
  expect(dockerChanges(place)).toEqual([]);
  expect(idsOf(place)).toEqual(now);
  expect(running(place)).toEqual({ spark1: ['vllm_node'], spark2: ['vllm_node'] });
  expect(threadText(place)).toContain('spark VOID: approval of vllm_node (#1), nothing was done.');
  expect(threadText(place)).toContain('vllm_node on spark1 is another one by now');

  // Asked again, it is about what runs now.
  await askToStop(place);
  await approve(place, 2);
  expect(await place.ended(2)).toMatchObject({ state: 'stopped' });
  expect(dockerChanges(place).toSorted()).toEqual([
    `spark1: stop ${now.spark1}`,
    `spark1: update ${now.spark1}`,
    `spark2: stop ${now.spark2}`,
    `spark2: update ${now.spark2}`,
  ]);
});

it('what is tolerated runs beside a model, but not on its port', { timeout: 120_000 }, async () => {
  place = await startPlace({ faults: ['foreign-container'] });
  const file = join(place.configFolder, 'clusters', 'spark.yaml');
  await writeFile(file, stringify({ ...parse(await readFile(file, 'utf8')), tolerates: ['vllm_node'] }));
  await place.product();
  const status = await answerTo('/spark status spark');
  expect(status).toContain('spark FOREIGN: vllm_node was not started by me, 71 GB on spark1. I leave it alone.');
  expect(status).toContain('Tolerated: vllm_node on spark2.');

  await say(place, '/spark deploy qwen35');
  const record = await place.ended(1);
  expect(record).toMatchObject({ state: 'failed', phase: 'preflight' });
  expect(record.cause?.text).toMatch(
    /^spark1: not started by this sparkops: container vllm_node \([^)]*port 8000[^)]*\)\.$/,
  );

  await place.sparks.kill('spark1', 'containers');
  await say(place, '/spark deploy qwen35');
  expect(await place.ended(2)).toMatchObject({ state: 'serving' });
  expect(running(place).spark2).toContain('vllm_node');
  const beside = await answerTo('/spark status spark');
  expect(beside).toContain('spark OK: qwen35 (#2)');
  expect(beside).toContain('Tolerated: vllm_node on spark2.');
  expect(beside).not.toContain('not started by me');
});
