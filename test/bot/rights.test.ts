import { describe, expect, onTestFinished, test } from 'vitest';
import type { RightsConfig } from '../../src/config/rights.ts';
import {
  ADMIN,
  APPROVER,
  APPROVERS_GROUP,
  GUEST,
  LOCAL_RIGHTS,
  ON_CALL_GROUP,
  OPERATOR,
  OPS_CHANNEL,
  OTHER_TEAM,
  STRANGER,
  VIEWER,
} from '../../src/local/slack/people.ts';
import { allCommands } from '../../src/bot/commands/all.ts';
import { fakeJobs } from './support/fake-jobs.ts';
import { rightsConfig, workplace, type Workplace } from './support/bot.ts';

const commands = allCommands({ jobs: fakeJobs(), places: { canPost: async () => undefined }, now: () => new Date() });
const NO_RIGHT = 'You have no right here: who runs sparkops may list you under rights in sparkops.yaml.';

async function start(change: Partial<RightsConfig> = {}): Promise<Workplace> {
  const place = await workplace({ bot: { rights: async () => rightsConfig(change) } });
  onTestFinished(place.stop);
  return place;
}

describe('guests and people of other workspaces', () => {
  test.each([
    ['guest', GUEST],
    ['stranger', STRANGER],
  ])('a %s gets one sentence whatever is typed, and nothing else', async (_, user) => {
    const { ask, jobs, slack } = await start();
    const typed = ['', 'help', 'nonsense', 'status share', 'deploy', `deploy "never closed`];
    for (const text of [...typed, ...commands.map(({ name }) => name)])
      expect(await ask(user, `/spark ${text}`)).toBe(NO_RIGHT);
    expect(jobs.calls).toEqual([]);
    expect(slack.messages(OPS_CHANNEL)).toEqual([]);
    expect(slack.modals(user)).toEqual([]);
    expect(jobs.audits).toHaveLength(typed.length + commands.length);
    expect(new Set(jobs.audits.map(({ decision }) => decision))).toEqual(new Set(['refused']));
  });

  test('nor does a button do anything for them, though it stands before them', async () => {
    const place = await start();
    await place.ask(OPERATOR, '/spark deploy qwen35 on spark');
    const { ts } = await place.slack.until(() => place.slack.messages(OPS_CHANNEL)[0]);
    for (const user of [GUEST, STRANGER]) {
      await place.slack.click(user, ts, 'cancel');
      expect((await place.slack.until(() => place.slack.ephemerals(user)[0])).text).toBe(NO_RIGHT);
    }
    expect(place.jobs.calls).toEqual(['deploy qwen35 on spark {}']);
    expect(place.jobs.audits.at(-1)?.who).toMatchObject({ team: OTHER_TEAM.id, user: STRANGER });
  });

  test('who is listed may', async () => {
    const rights = { ...LOCAL_RIGHTS, viewer: [GUEST], operator: [`${OTHER_TEAM.id}/${STRANGER}`] };
    const { ask } = await start({ rights });
    expect(await ask(GUEST, '/spark help')).toContain('As a viewer you may:');
    expect(await ask(STRANGER, '/spark deploy qwen35 on spark')).toContain('Deploying qwen35 on spark');
    expect(await ask(VIEWER, '/spark status')).toBe(NO_RIGHT);
  });

  test('when Slack does not say who somebody is, that is said', async () => {
    const { ask, slack } = await start();
    slack.fault('users.info', { error: 'fatal_error', times: 1 });
    expect(await ask(VIEWER, '/spark status')).toBe(
      `${NO_RIGHT}\nSlack does not tell me whether you are a full member (fatal_error): try again in a minute.`,
    );
    expect(await ask(VIEWER, '/spark status')).toBe('No cluster is configured.');
  });
});

describe('a refusal', () => {
  test('names what is needed, and people and user groups who have it; nobody is notified', async () => {
    const { ask } = await start({ rights: { ...LOCAL_RIGHTS, operator: [OPERATOR, ON_CALL_GROUP] } });
    expect(await ask(VIEWER, '/spark deploy qwen35 on spark')).toBe(
      'Not started: Only operators may deploy.\nAsk one to do it, or to have you listed as operator under rights in sparkops.yaml.\nOperators: <@U0OPERATOR1>, <!subteam^S0ONCALL001>\nNothing was changed.',
    );
  });

  test('where nobody is listed with it, those who are with more', async () => {
    const { ask } = await start({
      rights: { viewer: ['everyone'], operator: [], approver: [APPROVER], admin: [ADMIN] },
    });
    expect(await ask(VIEWER, '/spark stop spark')).toContain('Only operators may stop.');
    expect(await ask(VIEWER, '/spark stop spark')).toContain('Approvers: <@U0APPROVER1>\n');
  });

  test('by what a channel allows: what it allows, and that another one may do', async () => {
    const { ask } = await start({ channel_caps: { [OPS_CHANNEL]: 'viewer' } });
    expect(await ask(ADMIN, '/spark stop spark')).toBe(
      'Not stopped: Nobody may stop in this channel.\nchannel_caps in sparkops.yaml allows viewer at most here. Type it in another channel.\nNothing was changed.',
    );
    expect(await ask(ADMIN, '/spark help')).toContain('As a viewer you may:');
  });

  test('says when Slack could not be asked for a user group', async () => {
    const { ask, slack } = await start({
      rights: { ...LOCAL_RIGHTS, operator: [ON_CALL_GROUP], approver: [], admin: [] },
    });
    slack.fault('usergroups.users.list', { error: 'fatal_error', times: 3 });
    expect(await ask(OPERATOR, '/spark stop spark')).toContain(
      'Slack does not tell me who is in the user group S0ONCALL001 (fatal_error): try again in a minute.\nOperators: <!subteam^S0ONCALL001>',
    );
  });
});

test('who is in a user group may what it is listed with, typed or pressed', async () => {
  const place = await start({
    rights: { viewer: ['everyone'], operator: [ON_CALL_GROUP], approver: [APPROVERS_GROUP], admin: [] },
  });
  await place.ask(OPERATOR, '/spark deploy qwen35 on spark');
  const { ts } = await place.slack.until(() => place.slack.messages(OPS_CHANNEL)[0]);
  await place.slack.click(APPROVER, ts, 'cancel');
  expect((await place.slack.until(() => place.slack.ephemerals(APPROVER)[0])).text).toContain('Cancelling qwen35');
  expect(await place.ask(APPROVER, '/spark help')).toContain('As an approver you may:');
  expect(place.slack.violations).toEqual([]);
});

test('help shows what each right may, and of one command what it needs', async () => {
  const { ask } = await start();
  for (const [user, right, word] of [
    [VIEWER, 'viewer', 'a viewer'],
    [OPERATOR, 'operator', 'an operator'],
    [APPROVER, 'approver', 'an approver'],
    [ADMIN, 'admin', 'an admin'],
  ] as const) {
    const help = await ask(user, '/spark help');
    expect(help).toContain(`As ${word} you may:`);
    const order = ['viewer', 'operator', 'approver', 'admin'];
    const may = commands.filter((command) => order.indexOf(command.right) <= order.indexOf(right));
    expect([...help.matchAll(/^`\/spark ([\w-]+)/gm)].map(([, name]) => name)).toEqual(may.map(({ name }) => name));
  }
  expect(await ask(VIEWER, '/spark help stop')).toContain('Only operators may do it.');
  expect(await ask(OPERATOR, '/spark help stop')).not.toContain('Only');
});
