import { describe, expect, onTestFinished, test } from 'vitest';
import { APPROVER, OPERATOR, OPS_CHANNEL, VIEWER } from '../../src/local/slack/people.ts';
import { workplace, type Workplace } from './support/bot.ts';
import { fakeJobs } from './support/fake-jobs.ts';
import { failed, serving } from './support/records.ts';

const view = { channel: OPS_CHANNEL, user: OPERATOR, team: 'T0LOCAL0001' };

async function start(jobs = fakeJobs()): Promise<Workplace> {
  const place = await workplace({ jobs, bot: { now: () => new Date('2026-12-01T12:00:00Z') } });
  onTestFinished(place.stop);
  return place;
}

/** Jobs that remember one deploy that serves and one that failed, with their cards. */
async function withPast(): Promise<Workplace> {
  const place = await start();
  const up = serving({ uid: 'uid140', number: 140, owner: { team: 'T0LOCAL0001', user: APPROVER }, note: 'eval run' });
  const broke = failed({ uid: 'uid141', number: 141, cluster: 'spark-b', by: { team: 'T0LOCAL0001', user: VIEWER } });
  broke.plan.overrides['max_model_len'] = 8192;
  place.jobs.records.set(up.uid, up);
  place.jobs.add(broke, view);
  await place.slack.until(() => place.slack.messages(OPS_CHANNEL)[0]);
  return place;
}

describe('what can be looked at', () => {
  test('history: one line each, newest first, by cluster and by person', async () => {
    const { ask } = await withPast();
    expect(await ask(VIEWER, '/spark history')).toMatch(
      /^#141 qwen35 on spark-b FAILED: <@U0VIEWER001>, <!date.*>, 9 min, spark2 has 97 GB free, .*\n#140 qwen35 on spark UP: <@U0OPERATOR1>, .*, 16 min, "eval run"$/,
    );
    expect(await ask(VIEWER, '/spark history spark')).toMatch(/^#140 [^\n]*$/);
    expect(await ask(VIEWER, '/spark history by <@U0VIEWER001|viewer>')).toMatch(/^#141 [^\n]*$/);
    expect(await ask(VIEWER, '/spark history by me')).toMatch(/^#141 [^\n]*$/);
    expect(await ask(VIEWER, '/spark history since 5m')).toBe(
      '#141 qwen35 on spark-b FAILED: <@U0VIEWER001>, <!date^1796126400^{date_short_pretty} {time}|2026-12-01 12:00 UTC>, 9 min, spark2 has 97 GB free, the recipe asks for 103.\n#140 qwen35 on spark UP: <@U0OPERATOR1>, <!date^1796126400^{date_short_pretty} {time}|2026-12-01 12:00 UTC>, 16 min, "eval run"',
    );
    expect(await ask(VIEWER, '/spark history since yesterday')).toContain('since takes an age such as 5m, 2h or 7d.');
    expect(await ask(VIEWER, '/spark history by somebody')).toContain('Mention the person');
  });

  test('recipes and clusters, with what runs there', async () => {
    const { ask } = await withPast();
    expect(await ask(VIEWER, '/spark recipes')).toBe(
      '2 recipes. What one would run: `/spark plan NAME`\n`qwen35`  Qwen3.5  (serves on spark)\n`glm47`  GLM',
    );
    expect(await ask(VIEWER, '/spark clusters')).toBe(
      '2 clusters, by the record. A look at the nodes: `/spark status`\nspark (spark1, spark2), two Sparks: serves qwen35 (#140)\nspark-b (spark1, spark2), two Sparks: free',
    );
  });

  test('plan: what would run, and its limits', async () => {
    const place = await start();
    const answer = await place.ask(VIEWER, '/spark plan qwen35 on spark port=8001');
    expect(answer).toContain('qwen35 on spark: spark1, spark2. Nothing was changed.');
    expect(answer).toContain('serve, in the container on spark1');
    expect(place.jobs.calls).toEqual(['plan qwen35 on spark {"port":"8001"}']);
  });

  test('check: the rows, without a deploy', async () => {
    const { ask, jobs } = await start();
    expect(await ask(VIEWER, '/spark check qwen35 on spark')).toBe(
      'Checks: 1 FAILED, 1 ok.\nFAILED, spark2 image: the image is not there\nNext: Pull it.\nqwen35 on spark, looked at now. Nothing was changed.',
    );
    expect(jobs.records.size).toBe(0);
  });

  test('diagnose: what runs, and the last error', async () => {
    const { ask } = await start();
    expect(await ask(VIEWER, '/spark diagnose spark')).toBe(
      'spark FREE: nothing serves\nLog of the engine on spark1, last line 4 s ago.\nLast error: torch.OutOfMemoryError: CUDA out of memory\n```\none\ntorch.OutOfMemoryError: two\n```',
    );
  });

  test('bench: measured beside the record, by operators', async () => {
    const { ask } = await start();
    expect(await ask(OPERATOR, '/spark bench spark')).toBe(
      'spark: qwen35 (#142) writes 25 tok/s.\nshort answer: first token 0.1 s, 25 tok/s over 60 tokens\nAt its start: first token 0.8 s, 27 tok/s.',
    );
    expect(await ask(VIEWER, '/spark bench spark')).toContain('Only operators may bench.');
  });

  test.each([
    ['logs 142 since 5m grep "CUDA error" lines 5', { number: 142, sinceMs: 300_000, grep: 'CUDA error', lines: 5 }],
    ['logs worker', { node: 'worker', lines: 30 }],
    ['logs node spark2 on spark', { node: 'spark2', cluster: 'spark', lines: 30 }],
  ])('%s', async (typed, expected) => {
    const asked: unknown[] = [];
    const jobs = fakeJobs({
      logs: async (request) => {
        asked.push(request);
        return { cluster: 'spark', node: 'spark1', source: 'the engine', lines: [] };
      },
    });
    const { ask } = await start(jobs);
    await ask(VIEWER, `/spark ${typed}`);
    expect(asked).toEqual([{ ...expected, channel: OPS_CHANNEL }]);
  });
});

describe('retry', () => {
  test('the same recipe, cluster and overrides again, typed or by the button', async () => {
    const place = await withPast();
    const { slack, jobs } = place;
    const ts = slack.messages(OPS_CHANNEL)[0]?.ts ?? '';
    await slack.until(() => JSON.stringify(slack.messages(OPS_CHANNEL)[0]?.blocks).includes('"retry"'));
    await slack.click(VIEWER, ts, 'retry');
    const no = await slack.until(() => slack.ephemerals(VIEWER)[0]);
    expect(no.text).toContain('Not started: Only operators may retry.');
    await slack.click(OPERATOR, ts, 'retry');
    await slack.until(() => slack.ephemerals(OPERATOR)[0]);
    expect(await place.ask(OPERATOR, '/spark retry 141')).toMatch(/^Deploying qwen35 on spark-b, #14\d\./);
    expect(await place.ask(OPERATOR, '/spark retry')).toMatch(/^Deploying qwen35 on spark-b, #14\d\./);
    const again = 'deploy qwen35 on spark-b {"max_model_len":"8192"}';
    expect(jobs.calls).toEqual([again, again, again]);
    expect(await place.ask(OPERATOR, '/spark retry 9')).toContain('There is no deployment #9.');
    expect(slack.violations).toEqual([]);
  });
});

describe('which cluster', () => {
  test('one button each, which does what its typed twin does', async () => {
    const place = await start();
    await place.ask(OPERATOR, '/spark deploy qwen35 note "eval run"');
    const question = place.slack.ephemerals(OPERATOR)[0];
    expect(question?.text).toContain('`/spark deploy qwen35 note "eval run" on spark-b`  free');
    await place.slack.click(OPERATOR, question?.ts ?? '', 'say-1');
    await place.slack.until(() => place.slack.ephemerals(OPERATOR)[1]);
    expect(place.jobs.calls.at(-1)).toBe('deploy qwen35 on spark-b {}');
    expect([...place.jobs.records.values()].map(({ note }) => note)).toEqual(['eval run']);
    expect(place.slack.violations).toEqual([]);
  });
});

describe('status', () => {
  test('[Share here] posts it for everybody, and mentions nobody but who shared it', async () => {
    const jobs = fakeJobs();
    jobs.status = async ({ cluster = 'spark' }) => [
      {
        cluster,
        description: '',
        channels: [],
        serving: [serving({ owner: { team: 'T', user: APPROVER }, until: '2026-12-01T17:00:00.000Z' })],
        nodes: [],
        engines: [{ uid: 'abcdefghij', health: 'ok', text: '3 running' }],
        lookedAt: '2026-12-01T12:00:00.000Z',
      },
    ];
    const { ask, slack } = await start(jobs);
    expect(await ask(VIEWER, '/spark status spark')).toMatch(/of <@U0APPROVER1>, asked for .*, until /);
    await slack.click(VIEWER, slack.ephemerals(VIEWER)[0]?.ts ?? '', 'say');
    const posted = await slack.until(() => slack.messages(OPS_CHANNEL)[0]);
    expect(posted.text).toMatch(/^spark OK: qwen35 \(#142\), 3 running/);
    expect(posted.text).toContain('Shared by <@U0VIEWER001>.');
    expect(posted.text).not.toContain(APPROVER);
    expect(slack.violations).toEqual([]);
  });
});

describe('deploy, until and note', () => {
  test('are kept, and shown on the card', async () => {
    const place = await start();
    await place.ask(OPERATOR, '/spark deploy qwen35 on spark until 18:00 note “eval run”');
    expect(place.jobs.records.get('uid142')).toMatchObject({ until: '2026-12-01T18:00:00.000Z', note: 'eval run' });
    const card = await place.slack.until(() => place.slack.messages(OPS_CHANNEL)[0]);
    expect(card.text).toContain(
      'until <!date^1796148000^{date_short_pretty} {time}|2026-12-01 18:00 UTC> · "eval run"',
    );
  });

  test('a time that is none is refused, and nothing starts', async () => {
    const place = await start();
    expect(await place.ask(OPERATOR, '/spark deploy qwen35 on spark until late')).toContain(
      'Not started: I don\'t understand the time "late".\nType until 18:00, until 2h, or until 2026-12-02.',
    );
    expect(place.jobs.calls).toEqual([]);
  });
});

describe('deploy alone', () => {
  test('a form, its errors in it, and then the same as typed', async () => {
    const place = await start();
    const { slack, jobs } = place;
    await slack.say(OPERATOR, OPS_CHANNEL, '/spark deploy');
    const { view: modal } = await slack.until(() => slack.modals(OPERATOR)[0]);
    expect(modal.title.text).toBe('Deploy');
    const typed = {
      cluster: 'spark-b',
      recipe: 'qwen35',
      overrides: 'max_len=1',
      until: 'late',
      note: 'the "eval" run',
    };
    await slack.submitView(OPERATOR, modal.id, typed);
    expect(slack.modals(OPERATOR)[0]?.errors).toEqual({
      until: 'I don\'t understand the time "late". Type until 18:00, until 2h, or until 2026-12-02.',
      overrides: 'There is no max_len. Known: port.',
    });
    await slack.submitView(OPERATOR, modal.id, { ...typed, overrides: 'port=8001', until: '2h' });
    await slack.until(() => slack.ephemerals(OPERATOR)[0]);
    expect(slack.modals(OPERATOR)).toEqual([]);
    expect(jobs.calls.at(-1)).toBe('deploy qwen35 on spark-b {"port":"8001"}');
    expect(jobs.records.get('uid142')).toMatchObject({ note: "the 'eval' run", until: '2026-12-01T14:00:00.000Z' });
    expect(slack.violations).toEqual([]);
  });

  test('who may not deploy gets no form', async () => {
    const place = await start();
    expect(await place.ask(VIEWER, '/spark deploy')).toContain('Not started: Only operators may deploy.');
    expect(place.slack.modals(VIEWER)).toEqual([]);
  });
});
