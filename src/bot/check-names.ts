import type { WebClient } from '@slack/web-api';
import { readWho } from '../config/rights.ts';
import type { SlackCheck } from './check-slack.ts';
import { slackWord } from './slack-problem.ts';

const MEND = 'Mend it in rights or approvals of sparkops.yaml.';

/** Whether Slack knows the people and user groups that the configuration names. A row for each that is wrong, or one for all. */
export async function checkNames(client: WebClient, names: readonly string[]): Promise<readonly SlackCheck[]> {
  if (names.length === 0) return [];
  const wrong = (await Promise.all(names.map((name) => problemWith(client, name)))).flat();
  if (wrong.length > 0) return wrong;
  return [{ check: 'rights', state: 'ok', text: `Slack knows ${names.join(', ')}` }];
}

async function problemWith(client: WebClient, name: string): Promise<readonly SlackCheck[]> {
  const who = readWho(name);
  const row = (state: 'warning' | 'failed', text: string): readonly SlackCheck[] => [
    { check: 'rights', state, text: `${name}: ${text}`, remedy: MEND },
  ];
  try {
    if (who?.kind === 'group') {
      const { users = [] } = await client.usergroups.users.list({ usergroup: who.group });
      return users.length === 0 ? row('warning', 'nobody is in this user group') : [];
    }
    if (who?.kind !== 'user') return [];
    const { user } = await client.users.info({ user: who.user });
    return user?.deleted ? row('failed', 'has left') : [];
  } catch (error) {
    const word = slackWord(error);
    if (word === 'user_not_found') return row('failed', 'Slack knows nobody by this id');
    if (word === 'no_such_subteam') return row('failed', 'Slack knows no user group by this id');
    return row('warning', `not asked (${word})`);
  }
}
