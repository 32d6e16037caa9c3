import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { checkSlack, SCOPES, type CheckSlackOptions } from '../../src/bot/check-slack.ts';
import type { LocalSlack, LocalSlackOptions } from '../../src/local/slack/local-slack.ts';
import {
  ADMIN,
  ON_CALL_GROUP,
  OPS_CHANNEL,
  OTHER_CHANNEL,
  OTHER_TEAM,
  STRANGER,
} from '../../src/local/slack/people.ts';
import { ALL_SCOPES } from '../../src/local/slack/scopes.ts';
import { startLocalSlack } from '../../src/local/slack/start-local-slack.ts';
import { silent } from './support/bot.ts';

async function start(options: LocalSlackOptions = {}): Promise<LocalSlack> {
  const slack = await startLocalSlack(options);
  onTestFinished(slack.stop);
  return slack;
}

async function checked(slack: LocalSlack, change: Partial<CheckSlackOptions> = {}): Promise<string[]> {
  const rows = await checkSlack({
    tokens: { bot: slack.botToken, app: slack.appToken },
    slackApiUrl: slack.apiUrl,
    channels: [OPS_CHANNEL],
    names: [],
    log: silent,
    ...change,
  });
  return rows.map(({ check, state, text }) => `${state} ${check}: ${text}`);
}

test('all is well: nothing is posted, and no connection stays', async () => {
  const slack = await start();
  expect(await checked(slack)).toEqual([
    'ok tokens: I am @sparkops in Local',
    `ok scopes: ${Object.keys(SCOPES).join(', ')}`,
    `ok channel ${OPS_CHANNEL}: the bot is in it`,
    'ok way in: a Socket Mode connection opens',
  ]);
  expect(slack.messages(OPS_CHANNEL)).toEqual([]);
  await expect.poll(slack.sockets).toBe(0);
  expect(slack.violations).toEqual([]);
});

test('a channel without the bot, an unknown one, and a private one that it is not in', async () => {
  const slack = await start();
  slack.setChannel({ id: 'G0PRIVATE01', name: 'secret', kind: 'private', members: new Set(), archived: false });
  expect((await checked(slack, { channels: [OTHER_CHANNEL, 'C0NOWHERE01', 'G0PRIVATE01'] })).slice(2, 5)).toEqual([
    `failed channel ${OTHER_CHANNEL}: the bot is not in it`,
    "failed channel C0NOWHERE01: the bot can't see it (channel_not_found)",
    "failed channel G0PRIVATE01: the bot can't see it (channel_not_found)",
  ]);
});

test('people and user groups that rights and approvals name', async () => {
  const slack = await start();
  const rows = async (names: string[]) => (await checked(slack, { names })).slice(2, -2);
  expect(await rows([ADMIN, `${OTHER_TEAM.id}/${STRANGER}`, ON_CALL_GROUP])).toEqual([
    `ok rights: Slack knows ${ADMIN}, ${OTHER_TEAM.id}/${STRANGER}, ${ON_CALL_GROUP}`,
  ]);
  slack.setUserGroup('S0EMPTY0001', []);
  expect(await rows([ADMIN, 'U0NOBODY001', 'S0NOBODY001', 'S0EMPTY0001'])).toEqual([
    'failed rights: U0NOBODY001: Slack knows nobody by this id',
    'failed rights: S0NOBODY001: Slack knows no user group by this id',
    'warning rights: S0EMPTY0001: nobody is in this user group',
  ]);
  const blind = await start({ scopes: ALL_SCOPES.filter((scope) => scope !== 'usergroups:read') });
  expect(await checked(blind, { names: [ON_CALL_GROUP] })).toContain(
    `warning rights: ${ON_CALL_GROUP}: not asked (missing_scope)`,
  );
});

test('scopes that are missing: what is lost', async () => {
  const slack = await start({ scopes: ['chat:write', 'users:read', 'groups:history'] });
  expect((await checked(slack)).slice(1, 6)).toEqual([
    'failed scopes: commands is missing: /spark can not be typed',
    "warning scopes: files:write is missing: a failure's full log is not put into the thread",
    'warning scopes: usergroups:read is missing: people who are listed by a user group have no right',
    'warning scopes: channels:history is missing: a post whose answer was lost may stand twice in a public channel',
    `warning channel ${OPS_CHANNEL}: not known: the scope that lets me look is missing`,
  ]);
});

test('a wrong token ends it with what to do', async () => {
  const slack = await start();
  expect(await checked(slack, { tokens: { bot: 'xoxb-local-no', app: slack.appToken } })).toEqual([
    'failed tokens: Slack refuses the bot token (xoxb-...): invalid_auth',
  ]);
});

test('in HTTP mode it says what can not be seen from here', async () => {
  const slack = await start();
  expect((await checked(slack, { tokens: { bot: slack.botToken } })).at(-1)).toMatch(
    /^ok way in: HTTP: .*\/slack\/events/,
  );
});

test('the scopes are those of the manifest', async () => {
  const manifest = parse(await readFile(new URL('../../config/slack-manifest.yaml', import.meta.url), 'utf8'));
  expect(Object.keys(SCOPES)).toEqual(manifest.oauth_config.scopes.bot);
  expect(ALL_SCOPES).toEqual(manifest.oauth_config.scopes.bot);
});
