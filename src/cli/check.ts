import { checkSlack, type SlackCheck } from '../bot/check-slack.ts';
import { listedNames } from '../config/listed-names.ts';
import { readConfig } from '../config/load-config.ts';
import { OperatorError } from '../errors.ts';
import { createLog } from '../log.ts';
import type { SlackSettings } from '../settings.ts';

export interface CheckOptions {
  configFolder: string;
  /** Only what Slack is needed for is checked as yet. */
  slack: SlackSettings | undefined;
  json: boolean;
  write: (text: string) => void;
}

/** What must be right outside of this process before it can work. Returns 0 when nothing has failed, else 1. */
export async function check({ configFolder, slack, json, write }: CheckOptions): Promise<number> {
  if (!slack) {
    throw new OperatorError('usage', 'What shall be checked?', {
      hint: 'sparkops check --slack; `/spark check` and `sparkops say "check"` look at the nodes.',
    });
  }
  const { clusters, sparkops } = await readConfig(configFolder);
  const rows = await checkSlack({
    tokens: { bot: slack.botToken, ...(slack.way.kind === 'socket' && { app: slack.way.appToken }) },
    ...(slack.apiUrl === undefined ? {} : { slackApiUrl: slack.apiUrl }),
    channels: [...new Set([...clusters.values()].flatMap(({ channels }) => channels))],
    names: listedNames(sparkops),
    log: createLog('silent', process.stderr),
  });
  if (json) write(JSON.stringify(rows));
  else for (const row of rows) write(line(row));
  return rows.some(({ state }) => state === 'failed') ? 1 : 0;
}

function line({ check: what, state, text, remedy }: SlackCheck): string {
  const word = { ok: 'ok', warning: 'warning', failed: 'FAILED' }[state];
  return `${word.padEnd(7)}  ${what}: ${text}${remedy === undefined ? '' : `\n         ${remedy}`}`;
}
