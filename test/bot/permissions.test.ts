import { LogLevel, WebClient } from '@slack/web-api';
import { describe, expect, onTestFinished, test } from 'vitest';
import { permissionsOver, standingWithoutSlack, type Permissions } from '../../src/bot/permissions.ts';
import type { RightsConfig } from '../../src/config/rights.ts';
import type { LocalSlack, LocalSlackOptions } from '../../src/local/slack/local-slack.ts';
import {
  ADMIN,
  APPROVER,
  APPROVERS_GROUP,
  BOT,
  GUEST,
  ON_CALL_GROUP,
  OPERATOR,
  OPS_CHANNEL,
  OTHER_CHANNEL,
  OTHER_TEAM,
  STRANGER,
  TEAM,
  VIEWER,
} from '../../src/local/slack/people.ts';
import { startLocalSlack } from '../../src/local/slack/start-local-slack.ts';
import { rightsConfig, silent } from './support/bot.ts';

const MINUTE = 60_000;

interface Place {
  slack: LocalSlack;
  permissions: Permissions;
  right: (user: string, channel?: string) => Promise<string>;
  /** Moves the clock. */
  pass: (ms: number) => void;
  /** How often Slack was asked by this method. */
  asked: (method: string) => number;
  change: (rights: Partial<RightsConfig['rights']>) => void;
}

interface Change {
  rights?: Partial<RightsConfig['rights']>;
  channel_caps?: RightsConfig['channel_caps'];
  slack?: LocalSlackOptions;
}

const NOBODY = { viewer: [], operator: [], approver: [], admin: [] };

async function start({ rights = {}, channel_caps = {}, slack: options = {} }: Change): Promise<Place> {
  const slack = await startLocalSlack(options);
  onTestFinished(slack.stop);
  let time = Date.parse('2026-12-01T12:00:00Z');
  let config = rightsConfig({ rights: { ...NOBODY, ...rights }, channel_caps });
  const client = new WebClient(slack.botToken, {
    slackApiUrl: slack.apiUrl,
    logLevel: LogLevel.ERROR,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
  });
  const permissions = permissionsOver({
    client,
    team: TEAM.id,
    config: async () => config,
    now: () => new Date(time),
    log: silent,
  });
  return {
    slack,
    permissions,
    right: (user, channel = OPS_CHANNEL) => permissions.rightOf(personOf(user), channel),
    pass: (ms) => (time += ms),
    asked: (method) => slack.apiCalls.filter((call) => call.method === method).length,
    change: (changed) => (config = { ...config, rights: { ...config.rights, ...changed } }),
  };
}

function personOf(user: string) {
  return { team: user === STRANGER ? OTHER_TEAM.id : TEAM.id, user };
}

describe('by name', () => {
  test('Slack is not asked of an admin who is listed by id', async () => {
    const { right, slack } = await start({
      rights: { admin: [ADMIN], approver: [APPROVERS_GROUP], viewer: ['everyone'] },
    });
    slack.fault('*', { error: 'internal_error', times: Infinity });
    expect(await right(ADMIN)).toBe('admin');
    expect(slack.apiCalls).toEqual([]);
  });

  test('while Slack fails, who is listed by id keeps that right', async () => {
    const { right, slack } = await start({ rights: { operator: [OPERATOR], admin: [ON_CALL_GROUP] } });
    slack.fault('*', { error: 'internal_error', times: Infinity });
    expect(await right(OPERATOR)).toBe('operator');
  });

  test('an id without a team means the own workspace; with one, that workspace alone', async () => {
    const { right, permissions } = await start({
      rights: { operator: [OPERATOR, STRANGER], approver: [`${OTHER_TEAM.id}/${APPROVER}`] },
    });
    expect(await right(OPERATOR)).toBe('operator');
    expect(await right(STRANGER)).toBe('none');
    expect(await right(APPROVER)).toBe('none');
    expect(await permissions.rightOf({ team: OTHER_TEAM.id, user: APPROVER }, OPS_CHANNEL)).toBe('approver');
    expect(await permissions.rightOf({ team: '', user: OPERATOR }, OPS_CHANNEL)).toBe('none');
  });

  test('a guest and a stranger who are listed have what they are listed with', async () => {
    const { right } = await start({ rights: { viewer: [GUEST], operator: [`${OTHER_TEAM.id}/${STRANGER}`] } });
    expect(await right(GUEST)).toBe('viewer');
    expect(await right(STRANGER)).toBe('operator');
  });

  test('a change of the configuration counts at once', async () => {
    const { right, change } = await start({ rights: { operator: [OPERATOR] } });
    expect(await right(OPERATOR)).toBe('operator');
    change({ operator: [] });
    expect(await right(OPERATOR)).toBe('none');
  });
});

describe('everyone', () => {
  test('is full members of the own workspace: no guest, no stranger, no bot, nobody unknown', async () => {
    const { right, slack } = await start({ rights: { viewer: ['everyone'] } });
    expect(
      await Promise.all([VIEWER, OPERATOR, GUEST, STRANGER, 'U0UNKNOWN01', BOT.userId].map((user) => right(user))),
    ).toEqual(['viewer', 'viewer', 'none', 'none', 'none', 'none']);
    // Of people of other workspaces it need not even be asked.
    expect(slack.apiCalls.map(({ args }) => args['user'])).not.toContain(STRANGER);
  });

  test('one of another workspace who is said to be of ours is none by what Slack says', async () => {
    const { permissions } = await start({ rights: { viewer: ['everyone'] } });
    expect(await permissions.rightOf({ team: TEAM.id, user: STRANGER }, OPS_CHANNEL)).toBe('none');
  });

  test('what Slack said counts for 10 minutes, not longer', async () => {
    const { right, slack, pass, asked } = await start({ rights: { viewer: ['everyone'] } });
    expect(await right(VIEWER)).toBe('viewer');
    slack.fault('users.info', { error: 'internal_error', times: Infinity });
    pass(10 * MINUTE - 1);
    expect(await right(VIEWER)).toBe('viewer');
    expect(asked('users.info')).toBe(1);
    pass(1);
    expect(await right(VIEWER)).toBe('none');
    slack.clearFaults();
    expect(await right(VIEWER)).toBe('viewer');
  });

  test('without an answer nobody is one, and it is told why', async () => {
    const { permissions, slack } = await start({ rights: { viewer: ['everyone'] } });
    slack.fault('users.info', { error: 'internal_error' });
    expect(await permissions.standingOf(personOf(VIEWER), OPS_CHANNEL)).toEqual({
      right: 'none',
      unsure: 'Slack does not tell me whether you are a full member (internal_error): try again in a minute.',
    });
    slack.fault('users.info', { delayMs: 3_000 });
    const before = performance.now();
    expect(await right(permissions, VIEWER)).toBe('none');
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});

describe('user groups', () => {
  test('who is in one has the right that lists it', async () => {
    const { right } = await start({
      rights: { viewer: ['everyone'], operator: [ON_CALL_GROUP], approver: [APPROVERS_GROUP] },
    });
    expect(await Promise.all([OPERATOR, APPROVER, VIEWER].map((user) => right(user)))).toEqual([
      'operator',
      'approver',
      'viewer',
    ]);
  });

  test('fresh for 5 minutes; then asked again', async () => {
    const { right, slack, pass, asked } = await start({ rights: { operator: [ON_CALL_GROUP] } });
    expect(await right(VIEWER)).toBe('none');
    slack.setUserGroup(ON_CALL_GROUP, [VIEWER]);
    pass(5 * MINUTE - 1);
    expect(await right(VIEWER)).toBe('none');
    expect(asked('usergroups.users.list')).toBe(1);
    pass(1);
    expect(await right(VIEWER)).toBe('operator');
    expect(await right(OPERATOR)).toBe('none');
    expect(asked('usergroups.users.list')).toBe(2);
  });

  test('while Slack fails the last answer counts until it is 10 minutes old, then nobody is in it', async () => {
    const { right, permissions, slack, pass } = await start({ rights: { operator: [ON_CALL_GROUP] } });
    expect(await right(OPERATOR)).toBe('operator');
    slack.fault('usergroups.users.list', { status: 503, times: Infinity });
    pass(10 * MINUTE - 1);
    expect(await right(OPERATOR)).toBe('operator');
    pass(1);
    expect(await permissions.standingOf(personOf(OPERATOR), OPS_CHANNEL)).toMatchObject({
      right: 'none',
      unsure: expect.stringMatching(
        /^Slack does not tell me who is in the user group S0ONCALL001 \(.+\): try again in a minute\.$/,
      ),
    });
    slack.clearFaults();
    expect(await right(OPERATOR)).toBe('operator');
  });

  test('fifty who ask at once are one request a group', async () => {
    const { right, asked } = await start({ rights: { operator: [ON_CALL_GROUP], approver: [APPROVERS_GROUP] } });
    const found = await Promise.all(Array.from({ length: 50 }, () => right(OPERATOR)));
    expect(new Set(found)).toEqual(new Set(['operator']));
    expect(asked('usergroups.users.list')).toBe(2);
  });

  test('a group that is no more, or a scope that is missing, fails closed', async () => {
    const gone = await start({ rights: { admin: ['S0GONE00001'] } });
    expect(await gone.right(ADMIN)).toBe('none');
    const blind = await start({ rights: { admin: [APPROVERS_GROUP] }, slack: { scopes: ['users:read'] } });
    expect(await blind.permissions.standingOf(personOf(ADMIN), OPS_CHANNEL)).toMatchObject({
      right: 'none',
      unsure: expect.stringContaining('(missing_scope)'),
    });
  });

  test('one of another workspace is in none of ours', async () => {
    const { right, slack } = await start({ rights: { operator: [ON_CALL_GROUP] } });
    slack.setUserGroup(ON_CALL_GROUP, [STRANGER]);
    expect(await right(STRANGER)).toBe('none');
  });
});

test('a channel caps what is done there', async () => {
  const { right } = await start({
    rights: { viewer: ['everyone'], admin: [ADMIN] },
    channel_caps: { [OTHER_CHANNEL]: 'viewer' },
  });
  expect(await right(ADMIN)).toBe('admin');
  expect(await right(ADMIN, OTHER_CHANNEL)).toBe('viewer');
  expect(await right(GUEST, OTHER_CHANNEL)).toBe('none');
});

describe('who is meant by approvals.from', () => {
  const rights = { viewer: ['everyone'], operator: [OPERATOR], approver: [APPROVER], admin: [ADMIN] };

  test.each([
    [['approver'], [APPROVER, ADMIN]],
    [['operator'], [OPERATOR, APPROVER, ADMIN]],
    [[VIEWER], [VIEWER]],
    [
      [ON_CALL_GROUP, ADMIN],
      [OPERATOR, ADMIN],
    ],
    [[`${OTHER_TEAM.id}/${STRANGER}`], [STRANGER]],
    [[STRANGER], []],
  ])('%j', async (from, expected) => {
    const { permissions } = await start({ rights });
    const people = [OPERATOR, APPROVER, VIEWER, ADMIN, GUEST, STRANGER];
    const found = await Promise.all(people.map((user) => permissions.isAmong(from, personOf(user), OPS_CHANNEL)));
    expect(people.filter((_, at) => found[at])).toEqual(expected);
  });

  test('not where the channel allows less than approving, by whatever name', async () => {
    const { permissions } = await start({ rights, channel_caps: { [OTHER_CHANNEL]: 'operator' } });
    const among = (from: string[], user: string) => permissions.isAmong(from, personOf(user), OTHER_CHANNEL);
    expect(await among(['approver'], ADMIN)).toBe(false);
    expect(await among([ADMIN], ADMIN)).toBe(false);
    expect(await among([APPROVERS_GROUP], ADMIN)).toBe(false);
    expect(await among(['operator'], ADMIN)).toBe(true);
  });

  test('while Slack fails nobody is in a group', async () => {
    const { permissions, slack } = await start({ rights });
    slack.fault('usergroups.users.list', { error: 'internal_error', times: Infinity });
    expect(await permissions.isAmong([ON_CALL_GROUP], personOf(OPERATOR), OPS_CHANNEL)).toBe(false);
  });
});

test('without Slack the lists count, and user groups are said to be left out', async () => {
  const rights = { ...NOBODY, viewer: ['everyone'], operator: [OPERATOR, 'S0X'], admin: [ADMIN] };
  const config = rightsConfig({ rights });
  const [admin, operator, viewer] = [ADMIN, OPERATOR, VIEWER].map((user) => standingWithoutSlack(config, user));
  expect([admin?.right, operator?.right, viewer?.right]).toEqual(['admin', 'operator', 'viewer']);
  expect([admin?.unsure, operator?.unsure]).toEqual([undefined, undefined]);
  expect(viewer?.unsure).toBe("User groups can't be asked here, without Slack: only who is listed by id counts.");
  const elsewhere = rightsConfig({ rights: { ...NOBODY, operator: [`T1/${OPERATOR}`] } });
  expect(standingWithoutSlack(elsewhere, OPERATOR).right).toBe('none');

  expect(await admin?.isAmong(['approver'])).toBe(true);
  expect(await operator?.isAmong(['approver', ON_CALL_GROUP, `T1/${OPERATOR}`])).toBe(false);
  expect(await operator?.isAmong(['approver', OPERATOR])).toBe(true);
});

function right(permissions: Permissions, user: string): Promise<string> {
  return permissions.rightOf(personOf(user), OPS_CHANNEL);
}
