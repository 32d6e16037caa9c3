import type { SlashCommand } from '@slack/bolt';
import { describe, expect, test } from 'vitest';
import {
  ADMIN,
  APPROVER,
  APPROVERS_GROUP,
  GUEST,
  ON_CALL_GROUP,
  OPERATOR,
  OPS_CHANNEL,
  OTHER_TEAM,
  STRANGER,
  TEAM,
  VIEWER,
} from '../../../src/local/slack/people.ts';
import { newClient, newSlack } from './example-app.ts';

describe('users.info', () => {
  test.each([
    [VIEWER, { team_id: TEAM.id, is_restricted: false, is_ultra_restricted: false, deleted: false, is_bot: false }],
    [GUEST, { team_id: TEAM.id, is_restricted: true }],
    [STRANGER, { team_id: OTHER_TEAM.id, is_stranger: true }],
  ])('%s', async (user, expected) => {
    const slack = await newSlack();
    expect((await newClient(slack).users.info({ user })).user).toMatchObject(expected);
  });

  test('full members are no strangers, and strangers tell no zone', async () => {
    const slack = await newSlack();
    expect((await newClient(slack).users.info({ user: VIEWER })).user).not.toHaveProperty('is_stranger');
    expect((await newClient(slack).users.info({ user: STRANGER })).user).not.toHaveProperty('tz');
  });
});

describe('user groups', () => {
  test('two there are, with their people', async () => {
    const slack = await newSlack();
    const client = newClient(slack);
    const { usergroups } = await client.usergroups.list({ include_users: true });
    expect(usergroups).toMatchObject([
      { id: ON_CALL_GROUP, handle: 'oncall', team_id: TEAM.id, users: [OPERATOR] },
      { id: APPROVERS_GROUP, handle: 'approvers', users: [APPROVER, ADMIN] },
    ]);
    expect((await client.usergroups.list()).usergroups?.[0]).not.toHaveProperty('users');
    expect((await client.usergroups.users.list({ usergroup: APPROVERS_GROUP })).users).toEqual([APPROVER, ADMIN]);
    slack.setUserGroup(APPROVERS_GROUP, [ADMIN]);
    expect((await client.usergroups.users.list({ usergroup: APPROVERS_GROUP })).users).toEqual([ADMIN]);
    expect(slack.violations).toEqual([]);
  });

  test('one that is not there, and a token that may not ask', async () => {
    const slack = await newSlack();
    const usergroup = 'S0NONE00001';
    await expect(newClient(slack).usergroups.users.list({ usergroup })).rejects.toThrow('no_such_subteam');
    const blind = await newSlack({ scopes: ['users:read'] });
    await expect(newClient(blind).usergroups.users.list({ usergroup: ON_CALL_GROUP })).rejects.toThrow('missing_scope');
  });

  test('a mention is shown by its handle', async () => {
    const slack = await newSlack();
    await newClient(slack).chat.postMessage({ channel: OPS_CHANNEL, text: `ask <!subteam^${ON_CALL_GROUP}>` });
    const [message] = slack.messages(OPS_CHANNEL);
    expect(message && slack.textOf(message)).toBe('ask @oncall');
  });
});

test.each([
  [OPERATOR, TEAM],
  [GUEST, TEAM],
  [STRANGER, OTHER_TEAM],
])('what %s types comes with the team of who types it', async (user, team) => {
  const slack = await newSlack();
  await slack.say(user, OPS_CHANNEL, '/spark help');
  const payload = slack.deliveries.at(-1)?.payload as unknown as SlashCommand;
  expect(payload).toMatchObject({ user_id: user, team_id: team.id, team_domain: team.domain });
});
