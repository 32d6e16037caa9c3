import type { Diagnosis } from '../../jobs/jobs.ts';
import { SLASH } from '../grammar.ts';
import { fitting, preformatted, section, type Message } from './message.ts';
import { codeBlock, excerpt, said } from './mrkdwn.ts';
import { statusSummary } from './status-answer.ts';
import { duration } from './time.ts';

/** What runs, then what its log says: the error that says most, or the last lines. */
export function diagnoseAnswer({ status, record, log, logProblem }: Diagnosis, now: Date): Message {
  const lines = [...statusSummary(status, now), ...logLines({ log, logProblem })];
  const shown = log?.error?.lines ?? log?.last ?? [];
  const more = record === undefined ? [] : [`More: \`${SLASH} logs ${record.number}\``];
  return fitting(
    () => rendered(lines, shown, more),
    () => rendered(lines, shown.slice(-5), more),
  );
}

function logLines({ log, logProblem }: { log: Diagnosis['log']; logProblem: string | undefined }): readonly string[] {
  if (!log) return logProblem === undefined ? [] : [`Log: ${said(logProblem)}`];
  const where = `${said(log.source, 80)} on ${said(log.node, 40)}`;
  const quiet = log.quietSeconds === undefined ? '' : `, last line ${duration(log.quietSeconds * 1_000)} ago`;
  return [
    `Log of ${where}${quiet}.`,
    log.error === undefined ? 'No error among its last lines.' : `Last error: ${said(log.error.text)}`,
  ];
}

function rendered(lines: readonly string[], proof: readonly string[], more: readonly string[]): Message {
  const shown = excerpt(proof);
  const text = lines.join('\n');
  if (shown.length === 0) return { text, blocks: [section(text)] };
  return {
    text: [text, codeBlock(shown), ...more].join('\n'),
    blocks: [section(text), preformatted(shown), ...(more.length > 0 ? [section(more.join('\n'))] : [])],
  };
}
