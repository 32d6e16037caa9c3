import { openConnections } from '../connections.ts';
import { readConfig } from '../config/load-config.ts';
import { OperatorError } from '../errors.ts';
import { readAudit, type AuditLine } from '../jobs/audit.ts';
import { openStore } from '../jobs/store.ts';
import { readAge } from '../bot/when.ts';

export interface AuditOptions {
  configFolder: string;
  redisUrl: string;
  json: boolean;
  /** "7d"; left out: all of it. */
  since: string | undefined;
  cluster: string | undefined;
  /** Slack user id. */
  by: string | undefined;
  now: Date;
  write: (text: string) => void;
}

const CONNECT_MS = 2_000;

/** Prints who did what, oldest first: a line of JSON each, or for people. Returns the exit code. */
export async function audit({
  configFolder,
  redisUrl,
  json,
  since,
  cluster,
  by,
  now,
  write,
}: AuditOptions): Promise<number> {
  const age = since === undefined ? undefined : readAge(since);
  if (since !== undefined && age === undefined) {
    throw new OperatorError('usage', `--since takes an age, and "${since}" is none`, {
      hint: 'For example: --since 7d',
    });
  }
  const { sparkops } = await readConfig(configFolder);
  const connections = openConnections(redisUrl);
  try {
    const redis = connections.open({ commandTimeout: CONNECT_MS });
    const from = age === undefined ? undefined : new Date(now.getTime() - age).toISOString();
    for await (const line of readAudit(openStore(sparkops.name, redis), { since: from, cluster, by })) {
      write(json ? JSON.stringify(line) : lineText(line));
    }
  } finally {
    connections.close();
  }
  return 0;
}

/** "2026-12-01 14:02:30Z  Operator (U0123ABCD) on spark, #142: stop spark: accepted" */
function lineText({ at, who, cluster, number, what, decision, result, why }: AuditLine): string {
  const where = [...(cluster === undefined ? [] : [`on ${cluster}`]), ...(number === undefined ? [] : [`#${number}`])];
  const about = where.length === 0 ? '' : ` ${where.join(', ')}`;
  const id = who.user === who.name ? '' : ` (${who.user})`;
  const outcome = [result ?? decision, ...(why === undefined ? [] : [why])].join(', ');
  return `${at.slice(0, 19).replace('T', ' ')}Z  ${who.name}${id}${about}: ${what}: ${outcome}`;
}
