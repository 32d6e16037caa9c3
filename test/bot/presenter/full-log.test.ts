import { expect, onTestFinished, test } from 'vitest';
import type { FullLog } from '../../../src/jobs/jobs.ts';
import { OPERATOR, OPS_CHANNEL } from '../../../src/local/slack/people.ts';
import { ALL_SCOPES } from '../../../src/local/slack/scopes.ts';
import type { LocalSlackOptions } from '../../../src/local/slack/local-slack.ts';
import { workplace, type Workplace } from '../support/bot.ts';
import { fakeJobs } from '../support/fake-jobs.ts';
import { aRecord, failed, serving } from '../support/records.ts';

const view = { channel: OPS_CHANNEL, user: OPERATOR, team: 'T0LOCAL0001' };
const LOG = Array.from({ length: 100 }, (_, index) => `engine line ${index + 1}`).join('\n');

async function start(
  log: FullLog | undefined,
  slack: LocalSlackOptions = {},
): Promise<Workplace & { asked: string[] }> {
  const asked: string[] = [];
  const fullLog = async (uid: string) => {
    asked.push(uid);
    return log;
  };
  const place = await workplace({ jobs: fakeJobs({ fullLog }), slack });
  onTestFinished(place.stop);
  return Object.assign(place, { asked });
}

async function fail({ jobs }: Workplace): Promise<void> {
  jobs.add(aRecord(), view);
  jobs.change('abcdefghij', failed(), { kind: 'ended', state: 'failed' });
  await expect.poll(() => jobs.done, { timeout: 15_000 }).toHaveLength(1);
}

function thread({ slack }: Workplace) {
  const [card] = slack.messages(OPS_CHANNEL);
  return card ? slack.thread(OPS_CHANNEL, card.ts).slice(1) : [];
}

test('a failure puts the whole log into its thread, once, below its end', async () => {
  const place = await start({ node: 'spark1', text: LOG, whole: true });
  await fail(place);
  const [end, file, ...more] = thread(place);
  expect(end?.text).toMatch(/^spark FAILED/);
  expect(file?.files?.map(({ name, title }) => ({ name, title }))).toEqual([
    { name: 'qwen35-142-spark1.log', title: "qwen35 #142: the engine's log on spark1" },
  ]);
  expect(place.slack.fileText(file?.files?.[0]?.id ?? '')).toBe(LOG);
  expect(more).toEqual([]);
  expect(place.asked).toEqual(['abcdefghij']);
  await place.restart();
  expect(thread(place)).toHaveLength(2);
  expect(place.slack.violations).toEqual([]);
});

test('secrets are masked, and a long log is cut to what Slack takes', async () => {
  const text = `${'x'.repeat(99)}\n`.repeat(12_000) + 'HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz0123456789\nthe end\n';
  const place = await start({ node: 'spark1', text, whole: false });
  await fail(place);
  const id = thread(place)[1]?.files?.[0]?.id ?? '';
  const shown = place.slack.fileText(id);
  expect(shown.length).toBeLessThanOrEqual(900_000);
  expect(shown.slice(-60).split('\n').slice(-3)).toEqual(['HF_TOKEN=[masked]', 'the end', '']);
  expect(place.slack.violations).toEqual([]);
});

test('a model that died later has its log shared too, and one that serves has none', async () => {
  const place = await start({ node: 'spark1', text: LOG, whole: true });
  place.jobs.add(aRecord(), view);
  place.jobs.change('abcdefghij', serving(), { kind: 'ended', state: 'serving' });
  await expect.poll(() => place.jobs.done, { timeout: 8_000 }).toHaveLength(1);
  expect(place.asked).toEqual([]);
  place.jobs.change('abcdefghij', { state: 'died' }, { kind: 'ended', state: 'died' });
  await expect.poll(() => place.jobs.done, { timeout: 8_000 }).toHaveLength(2);
  expect(thread(place).filter(({ files }) => files?.length)).toHaveLength(1);
});

test('without the right to put files: the last lines in the thread', async () => {
  const scopes = ALL_SCOPES.filter((scope) => scope !== 'files:write');
  const place = await start({ node: 'spark1', text: LOG, whole: true }, { scopes });
  await fail(place);
  const tail = thread(place)[1]?.text;
  expect(tail).toMatch(
    /^The last lines of the engine's log on spark1\. More: `\/spark logs 142 lines 200`\n```\nengine/,
  );
  expect(tail).toMatch(/engine line 100\n```$/);
  expect(thread(place)).toHaveLength(2);
});

test('when Slack says 429, it waits; when nobody knows whether the file arrived, it is not sent again', async () => {
  const place = await start({ node: 'spark1', text: LOG, whole: true });
  place.slack.fault('files.getUploadURLExternal', { retryAfter: 1 });
  place.slack.fault('files.completeUploadExternal', { status: 500, applied: true });
  await fail(place);
  expect(thread(place).filter(({ files }) => files?.length)).toHaveLength(1);
  expect(thread(place)).toHaveLength(2);
});

test('no log, or nodes that do not answer: the end stands alone', async () => {
  const place = await start(undefined);
  await fail(place);
  expect(thread(place)).toHaveLength(1);
});

test('an engine that was never started has none', async () => {
  const place = await start({ node: 'spark1', text: LOG, whole: true });
  place.jobs.add(aRecord(), view);
  place.jobs.change(
    'abcdefghij',
    { state: 'failed', endedAt: '2026-12-01T12:01:00.000Z' },
    { kind: 'ended', state: 'failed' },
  );
  await expect.poll(() => place.jobs.done, { timeout: 8_000 }).toHaveLength(1);
  expect(place.asked).toEqual([]);
});
