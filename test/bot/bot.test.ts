import { describe, expect, onTestFinished, test } from 'vitest';
import { OperatorError } from '../../src/errors.ts';
import { OPERATOR, OPS_CHANNEL, OTHER_CHANNEL, VIEWER } from '../../src/local/slack/people.ts';
import { fakeJobs } from './support/fake-jobs.ts';
import { workplace, type Workplace, type WorkplaceOptions } from './support/bot.ts';
import { allDone, at, failed, phasesUpTo, serving } from './support/records.ts';

async function start(options?: WorkplaceOptions): Promise<Workplace> {
  const place = await workplace(options);
  onTestFinished(place.stop);
  return place;
}

/** The card of the first deploy, once it is there. */
async function card({ slack }: Workplace) {
  return slack.until(() => slack.messages(OPS_CHANNEL)[0]);
}

async function deploy(place: Workplace): Promise<string> {
  await place.ask(OPERATOR, '/spark deploy qwen35 on spark');
  return (await card(place)).ts;
}

describe('a deploy, from the command to its end', () => {
  test('answer, card, edits in place, thread, end', async () => {
    const place = await start();
    const { slack, jobs } = place;

    expect(await place.ask(OPERATOR, '/spark Deploy qwen35 —on spark max_model_len=8192')).toBe(
      'Deploying qwen35 on spark, #142. The card is in the channel.',
    );
    const { ts, text } = await card(place);
    expect(text.split('\n')[0]).toBe('spark QUEUED: qwen35 (#142)');
    expect(jobs.calls).toEqual(['deploy qwen35 on spark {"max_model_len":"8192"}']);

    jobs.change('uid142', { state: 'running', phase: 'preflight', phases: phasesUpTo('preflight') });
    await slack.until(() => place.texts()[0]?.startsWith('spark DEPLOYING: qwen35 (#142)'));
    jobs.change(
      'uid142',
      {},
      {
        kind: 'checks',
        phase: 'preflight',
        rows: [
          { node: 'spark1', check: 'docker', state: 'ok', text: '29.1' },
          { node: 'spark2', check: 'disk', state: 'warning', text: '12 GB free.', remedy: 'Make room.' },
        ],
      },
    );
    const checks = await slack.until(() => slack.thread(OPS_CHANNEL, ts)[1]);
    expect(checks.text).toBe('Checks: 1 warning, 1 ok.\nWarning, spark2 disk: 12 GB free.\nNext: Make room.');

    const { state, phases, endpoint, smoke } = serving();
    jobs.change(
      'uid142',
      { state, phases, ...(endpoint && { endpoint }), ...(smoke && { smoke }), endedAt: at(960) },
      { kind: 'ended', state: 'serving' },
    );
    const end = await slack.until(() => slack.thread(OPS_CHANNEL, ts)[2]);
    expect(end.text).toMatch(
      /^spark UP: qwen35, 27 tok\/s, took .*\. <@U0OPERATOR1>\nhttp:\/\/10\.1\.230\.180:8000\/v1, model qwen35\n/,
    );
    expect(end.subtype).toBe('thread_broadcast');
    await slack.until(() => place.texts()[0]?.startsWith('spark UP: qwen35, 27 tok/s (#142)'));
    expect(JSON.stringify(slack.messages(OPS_CHANNEL)[0]?.blocks)).not.toContain('"actions"');
    await expect.poll(() => jobs.done).toEqual(['uid142']);
    expect(slack.messages(OPS_CHANNEL)[0]?.ts).toBe(ts);
    expect(slack.violations).toEqual([]);
    expect(jobs.audits.map(({ what, decision, number }) => ({ what, decision, number }))).toEqual([
      { what: 'Deploy qwen35 --on spark max_model_len=8192', decision: 'accepted', number: 142 },
    ]);
  });

  test('a failure is broadcast with its cause; the card loses its buttons', async () => {
    const place = await start();
    const ts = await deploy(place);
    const { cause, remedy, phases, phase } = failed();
    place.jobs.change(
      'uid142',
      {
        state: 'failed',
        phases,
        ...(phase && { phase }),
        ...(cause && { cause }),
        ...(remedy && { remedy }),
        endedAt: at(540),
      },
      { kind: 'ended', state: 'failed', ...(cause && { cause }), ...(remedy && { remedy }) },
    );
    const end = await place.slack.until(() => place.slack.thread(OPS_CHANNEL, ts)[1]);
    expect(end.text).toContain('Cause: spark2 has 97 GB free, the recipe asks for 103.\nNext: Retry');
    await place.slack.until(() => place.texts()[0]?.startsWith('spark FAILED: qwen35 at load (#142)'));
    expect(place.slack.violations).toEqual([]);
  });

  test('a model that dies later: the old card says so, and the thread too', async () => {
    const place = await start();
    const ts = await deploy(place);
    place.jobs.change(
      'uid142',
      { state: 'serving', phases: allDone(), endedAt: at(960) },
      { kind: 'ended', state: 'serving' },
    );
    await expect.poll(() => place.jobs.done).toHaveLength(1);
    place.jobs.change('uid142', { state: 'died' }, { kind: 'ended', state: 'died' });
    await place.slack.until(() => place.texts()[0]?.startsWith('spark DIED: qwen35 (#142)'));
    const replies = await place.slack.until(() => {
      const found = place.slack.thread(OPS_CHANNEL, ts).slice(1);
      return found.length === 2 ? found : undefined;
    });
    expect(replies[1]?.text).toMatch(/^spark DIED: qwen35 serves no more\. <@U0OPERATOR1>/);
  });

  test('a stop has its own card; the card of the deploy tells of it', async () => {
    const place = await start();
    const { slack, jobs } = place;
    await deploy(place);
    jobs.change(
      'uid142',
      { state: 'serving', phases: allDone(), endedAt: at(960) },
      { kind: 'ended', state: 'serving' },
    );
    await expect.poll(() => jobs.done).toHaveLength(1);

    expect(await place.ask(OPERATOR, '/spark stop spark')).toBe(
      'Stopping qwen35 on spark, #142. The card is in the channel.\nI ask for approval before qwen35 (#142) is interrupted.',
    );
    await slack.until(() =>
      place.texts().find((text) => text.startsWith('spark STOPPING') && text.includes('· Stop, waiting')),
    );
    jobs.change('uid142', { state: 'stopped', endedAt: at(2_000) }, { kind: 'ended', state: 'stopped' });
    await expect.poll(() => jobs.done, { timeout: 5_000 }).toHaveLength(2);
    const firsts = place.texts().map((text) => text.split('\n')[0]);
    expect(firsts.filter((line) => line === 'spark STOPPED: qwen35 (#142)')).toHaveLength(2);
    expect(firsts.filter((line) => line?.startsWith('spark STOPPED: qwen35, nothing serves.'))).toHaveLength(1);
    expect(slack.violations).toEqual([]);
  });
});

describe('buttons', () => {
  test('[Cancel] does what its typed twin does, for operators', async () => {
    const place = await start();
    const ts = await deploy(place);
    await place.slack.click(VIEWER, ts, 'cancel');
    const no = await place.slack.until(() => place.slack.ephemerals(VIEWER)[0]);
    expect(no.text).toBe(
      'Not cancelled: Only operators may cancel.\nAsk one to do it, or to have you listed as operator under rights in sparkops.yaml.\nOperators: <@U0OPERATOR1>\nNothing was changed.',
    );
    expect(place.jobs.calls).not.toContain('cancel 142');

    await place.slack.click(OPERATOR, ts, 'cancel');
    const yes = await place.slack.until(() => place.slack.ephemerals(OPERATOR)[1]);
    expect(yes.text).toBe('Cancelling qwen35 on spark, #142. Its card shows when all is removed.');
    expect(place.jobs.calls).toContain('cancel 142');
    expect(place.jobs.audits.map(({ who, decision, what }) => `${who.user} ${decision} ${what}`)).toContain(
      'U0VIEWER001 refused cancel 142',
    );
    await place.slack.until(() => place.texts()[0]?.includes('<@U0OPERATOR1> asked to cancel.'));
  });

  test('[Logs] answers anyone, in private', async () => {
    const place = await start();
    const ts = await deploy(place);
    await place.slack.click(VIEWER, ts, 'logs');
    const answer = await place.slack.until(() => place.slack.ephemerals(VIEWER)[0]);
    expect(answer.text).toContain("spark (#142): last 30 lines of the engine's log on spark1.\n```\nline 1\n");
  });

  test('when the response URL fails, the answer comes another way', async () => {
    const place = await start();
    const ts = await deploy(place);
    place.slack.fault('response_url', { status: 404 });
    await place.slack.click(VIEWER, ts, 'logs');
    const answer = await place.slack.until(() => place.slack.ephemerals(VIEWER)[0]);
    expect(answer.text).toContain('line 30');
  });
});

describe('answers', () => {
  test.each([
    ['/spark', 'As an operator you may:'],
    [
      '/spark help',
      '`/spark deploy RECIPE [on CLUSTER] [until TIME] [note "TEXT"] [force hold|checks|foreign] [key=value ...] [reason: TEXT]`  Serve a recipe',
    ],
    [
      '/spark help deploy',
      '`/spark deploy RECIPE [on CLUSTER] [until TIME] [note "TEXT"] [force hold|checks|foreign] [key=value ...] [reason: TEXT]`\nServe a recipe on a cluster;',
    ],
    ['/spark deplyo qwen35', 'I don\'t know "deplyo".\nDid you mean /spark deploy?'],
    ['/spark deploy qwen53 on spark', 'Not started: There is no recipe "qwen53". Did you mean qwen35?'],
    ['/spark deploy QWEN35 on Sparkk', 'Not started: There is no cluster "Sparkk". Did you mean spark?'],
    [
      '/spark deploy on spark',
      'Not started: Which recipe?\nUsage: /spark deploy RECIPE [on CLUSTER] [until TIME] [note "TEXT"] [force hold|checks|foreign] [key=value ...] [reason: TEXT]\nNothing was changed.',
    ],
    [
      '/spark deploy qwen35',
      'Which cluster?\nName one:\n`/spark deploy qwen35 on spark`  free\n`/spark deploy qwen35 on spark-b`  free',
    ],
    ['/spark cancel spark', "Not cancelled: That is not a deployment's number, such as 142."],
    ['/spark logs lines 1000', 'lines is a number from 1 to 200.'],
    [
      '/spark deploy qwen35 on spark HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz',
      'looks like a secret. I stored nothing of it.',
    ],
    ['/spark deploy <!channel> on spark', 'There is no recipe "@channel"'],
  ])('%s', async (typed, expected) => {
    const place = await start();
    const answer = await place.ask(OPERATOR, typed);
    expect(answer).toContain(expected);
    expect(JSON.stringify(place.jobs.audits)).not.toContain('hf_abc');
    expect(place.slack.messages(OPS_CHANNEL)).toEqual([]);
    expect(place.slack.violations).toEqual([]);
  });

  test('a viewer is refused by name of who may, and is not shown what only operators can do', async () => {
    const place = await start();
    const refused = await place.ask(VIEWER, '/spark deploy qwen35 on spark');
    expect(refused).toContain('Not started: Only operators may deploy.');
    expect(refused).toContain('<@U0OPERATOR1>');
    expect(place.jobs.calls).toEqual([]);
    const help = await place.ask(VIEWER, '/spark help');
    expect(help).toContain('/spark status');
    expect(help).not.toContain('/spark deploy');
  });

  test('a channel without the bot: what to do, before anything starts', async () => {
    const place = await start();
    const answer = await place.ask(OPERATOR, '/spark deploy qwen35 on spark', OTHER_CHANNEL);
    expect(answer).toBe(
      'Not started: I am not in this channel, so nobody would see the card.\nType /invite @sparkops here, then the command again.\nNothing was changed.',
    );
    expect(place.jobs.calls).toEqual([]);
  });

  test('busy: who has it, and that nothing was changed', async () => {
    const busy = new OperatorError('busy', 'spark is busy with #142, loading, 53 %.', { hint: 'Cancel it or wait.' });
    const place = await start({ jobs: fakeJobs({ deploy: () => Promise.reject(busy) }) });
    expect(await place.ask(OPERATOR, '/spark deploy qwen35 on spark')).toBe(
      'Not started: spark is busy with #142, loading, 53 %.\nCancel it or wait.\nNothing was changed.',
    );
    expect(place.jobs.audits).toMatchObject([{ decision: 'refused', why: 'spark is busy with #142, loading, 53 %.' }]);
  });

  test('a bug is told with a reference only', async () => {
    const place = await start({ jobs: fakeJobs({ deploy: () => Promise.reject(new TypeError('x of undefined')) }) });
    const answer = await place.ask(OPERATOR, '/spark deploy qwen35 on spark');
    expect(answer).toMatch(/^Not started: Something broke in the bot \(ref [0-9a-f]{4}\)\./);
    expect(answer).not.toContain('undefined');
  });

  test('without the store a change is refused and status still answers', async () => {
    const place = await start({ jobs: fakeJobs({ status: async () => [] }) });
    place.jobs.away = true;
    expect(await place.ask(OPERATOR, '/spark status')).toBe('No cluster is configured.');
    expect(await place.ask(OPERATOR, '/spark deploy qwen35 on spark')).toContain('Not started: The store is away');
  });
});
