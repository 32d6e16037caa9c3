import { lineCleaner } from '../cluster/logs/clean-lines.ts';
import { plainCause } from '../cluster/logs/error-lines.ts';
import { lastTime } from '../cluster/logs/pick-lines.ts';
import { OperatorError } from '../errors.ts';
import type { Deployment } from './deployment.ts';
import type { ClusterStatus, Diagnosis, Jobs, LogExcerpt } from './jobs.ts';

const LINES = 400;
const LAST = 5;

export interface DiagnoseParts extends Pick<Jobs, 'status' | 'logs'> {
  latest: (cluster: string) => Promise<Deployment | undefined>;
  now: () => Date;
}

/** What runs on one cluster now: its nodes and engine, and the end of the log. */
export async function diagnose(parts: DiagnoseParts, cluster: string): Promise<Diagnosis> {
  const [[status], record, log] = await Promise.all([
    parts.status({ cluster }),
    parts.latest(cluster),
    parts.logs({ cluster, lines: LINES }).catch(foreseen),
  ]);
  if (!status) throw new OperatorError('unknown-name', `There is no cluster ${cluster}.`, { hint: 'See status.' });
  const known = { status, ...(record && { record }) };
  if (log instanceof OperatorError) return { ...known, logProblem: log.message };
  if (log.nothing !== undefined) return { ...known, logProblem: log.nothing };
  return { ...known, log: read(log, status, parts.now()) };
}

function read({ node, source, lines }: LogExcerpt, status: ClusterStatus, now: Date): NonNullable<Diagnosis['log']> {
  const clean = lineCleaner()(`${lines.join('\n')}\n`);
  const written = lastTime(lines, now);
  const cause = plainCause(clean, (ip) => status.nodes.find(({ address }) => address === ip)?.node);
  const hasError = cause.exception !== undefined || clean.some(({ text }) => /^(?:ERROR|CRITICAL) /.test(text));
  return {
    node,
    source,
    ...(written && { quietSeconds: Math.max(0, Math.round((now.getTime() - written.getTime()) / 1_000)) }),
    ...(hasError && { error: { text: cause.text, lines: cause.lines } }),
    last: clean.slice(-LAST).map(({ text }) => text),
  };
}

function foreseen(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  throw error;
}
