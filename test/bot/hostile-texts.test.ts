import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { allCommands } from '../../src/bot/commands/all.ts';
import type { Message } from '../../src/bot/cards/message.ts';
import { dispatch } from '../../src/bot/dispatch.ts';
import { run } from '../../src/cluster/remote/command.ts';
import { toShell } from '../../src/cluster/remote/shell.ts';
import { readConfig } from '../../src/config/load-config.ts';
import { OperatorError } from '../../src/errors.ts';
import type { Plan } from '../../src/jobs/deployment.ts';
import { planFrom } from '../../src/jobs/prepare.ts';
import { OPERATOR, OPS_CHANNEL, VIEWER } from '../../src/local/slack/people.ts';
import { validateBlocks } from '../../src/local/slack/validate/validate-blocks.ts';
import { rightsConfig, silent, workplace } from './support/bot.ts';
import { liveMarkup } from './support/expect-fits.ts';
import { fakeJobs, type FakeJobs } from './support/fake-jobs.ts';
import { hostileTexts } from './support/hostile-texts.ts';

const PARSED = 9_500;
const TYPED = 500;
const AT_ONCE = 20;

/** Nobody else may be named: not the victim of the texts, no channel, no link. */
const MAY_BE_NAMED = [`<@${OPERATOR}>`];

function asker(user: string) {
  return {
    asker: { team: 'T0LOCAL0001', user, name: 'somebody' },
    channel: OPS_CHANNEL,
    right: user === OPERATOR ? ('operator' as const) : ('viewer' as const),
    isAmong: async () => false,
    canOpen: false,
    zone: async () => 'UTC',
  };
}

/** What is wrong with an answer; empty when it does no harm. */
function harm({ text, blocks }: Message): readonly string[] {
  const named = liveMarkup({ text, blocks }).filter((token) => !MAY_BE_NAMED.includes(token));
  return [
    ...(text.trim() === '' ? ['no answer'] : []),
    ...(text.length > 4_000 ? ['too long'] : []),
    ...(named.length > 0 ? [`names ${named.join(' ')}`] : []),
    ...(/hf_abcdefghij|xoxb-1234567890/.test(text + JSON.stringify(blocks)) ? ['a secret'] : []),
    ...(text.includes('Something broke') ? ['a bug'] : []),
    // oxlint-disable-next-line no-control-regex
    ...(/[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/.test(text) ? ['control characters'] : []),
  ];
}

function busyJobs(): FakeJobs {
  return fakeJobs({
    deploy: refuse,
    // Its answer would be for everybody.
    hold: refuse,
  });
}

async function refuse(): Promise<never> {
  throw new OperatorError('busy', 'spark is busy.', { hint: 'Wait.' });
}

test(`${PARSED} hostile texts: an answer and an audit each, nobody mentioned, no secret kept`, async () => {
  const jobs = fakeJobs();
  const options = {
    commands: allCommands({ jobs, places: { canPost: async () => undefined }, now: () => new Date() }),
    jobs,
    rights: async () => rightsConfig(),
    surface: 'test',
    log: silent,
  };
  const texts = hostileTexts(PARSED, 1);
  const harmful: unknown[] = [];
  for (const [at, text] of texts.entries()) {
    const { message } = await dispatch(text, asker(at % 5 === 0 ? VIEWER : OPERATOR), options);
    const found = [...harm(message), ...(at % 20 === 0 ? validateBlocks(message.blocks) : [])];
    if (found.length > 0) harmful.push({ text: text.slice(0, 500), answer: message.text, found });
  }
  expect(harmful).toEqual([]);
  expect(jobs.audits).toHaveLength(PARSED);
  expect(JSON.stringify(jobs.audits)).not.toMatch(/hf_abcdefghij|xoxb-1234567890/);
  expect(new Set(jobs.audits.map(({ decision }) => decision))).toEqual(new Set(['accepted', 'answered', 'refused']));
}, 60_000);

test(`${TYPED} of them typed in Slack: each acknowledged, each answered to who typed it, none seen by others`, async () => {
  const place = await workplace({ jobs: busyJobs() });
  onTestFinished(place.stop);
  const { slack, jobs } = place;
  const typed = hostileTexts(TYPED, 2).map((text) => `/spark ${text}`);
  let closed = 0;
  const answered = () => slack.ephemerals(OPERATOR).length + slack.modals(OPERATOR).length + closed;
  for (let at = 0; at < typed.length; at += AT_ONCE) {
    const some = typed.slice(at, at + AT_ONCE);
    const deliveries = await Promise.all(some.map((text) => slack.say(OPERATOR, OPS_CHANNEL, text)));
    expect(deliveries.map((said) => said.delivery?.status)).toEqual(some.map(() => 'acked'));
    await slack.until(() => answered() >= at + some.length);
    for (const modal of slack.modals(OPERATOR)) {
      await slack.closeView(OPERATOR, modal.view.id);
      closed += 1;
    }
  }
  expect(slack.messages(OPS_CHANNEL)).toEqual([]);
  expect(jobs.audits).toHaveLength(TYPED);
  expect(slack.violations).toEqual([]);
}, 60_000);

test('as words of a command they reach a program as they are', () => {
  const words = hostileTexts(300, 3).map((text) => text.replaceAll('\0', ''));
  const text = toShell(run('printf', '%s\\0', ...words));
  const printed = execFileSync('/bin/sh', ['-c', text], { env: { PATH: '/usr/bin:/bin' } });
  const expected = words.map((word) => Buffer.from(word).toString());
  expect(printed.toString().split('\0').slice(0, -1)).toEqual(expected);
});

test('as overrides they are refused, or stay one word of the plan', async () => {
  const config = await readConfig(fileURLToPath(new URL('../../config', import.meta.url)));
  const planned = (overrides: Record<string, string>) =>
    planFrom(config, { recipe: 'qwen35', cluster: 'spark', overrides }).plan;
  const plain = planned({});
  const keys = Object.keys(config.recipes.get('qwen35')?.defaults ?? {});
  let taken = 0;
  for (const [at, value] of hostileTexts(1_000, 4).entries()) {
    const plan = planOrRefusal(() => planned({ [keys[at % keys.length] ?? '']: value }));
    if (!plan) continue;
    taken += 1;
    expect(plan.serve.argv).toHaveLength(plain.serve.argv.length);
    expect(withoutUid(plan.nodes)).toEqual(withoutUid(plain.nodes));
  }
  expect(keys.length).toBeGreaterThan(3);
  expect(planned({ port: '8001' }).serve.argv).toContain('8001');
  expect(taken).toBeLessThan(1_000);
});

function planOrRefusal(render: () => Plan): Plan | undefined {
  try {
    return render();
  } catch (error) {
    if (error instanceof OperatorError) return undefined;
    throw error;
  }
}

function withoutUid(nodes: Plan['nodes']): string {
  return JSON.stringify(nodes).replaceAll(nodes[0].container.labels['sparkops.deployment'] ?? '', 'UID');
}
