import type { BenchAnswer, CheckAnswer } from '../../jobs/jobs.ts';
import { plainAnswer } from './answers.ts';
import { context, type Message } from './message.ts';
import { said } from './mrkdwn.ts';
import { threadReply } from './thread-reply.ts';
import { duration } from './time.ts';

/** The same rows that a deploy's thread shows. */
export function checkAnswer({ cluster, recipe, rows }: CheckAnswer): Message {
  const about = `${said(recipe, 60)} on ${said(cluster, 40)}, looked at now. Nothing was changed.`;
  const reply = threadReply([{ kind: 'checks', seq: 1, at: '', phase: 'preflight', rows }]);
  if (!reply) return plainAnswer([about]);
  return { text: `${reply.text}\n${about}`, blocks: [...reply.blocks, context(about)] };
}

export function benchAnswer({ record, runs }: BenchAnswer): Message {
  const { cluster, recipe, number, smoke } = record;
  const rates = runs.map(({ tokensPerSecond }) => tokensPerSecond);
  const middle = rates.toSorted((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0;
  const then = smoke
    ? `At its start: first token ${duration(smoke.ttftMs)}, ${Math.round(smoke.tokensPerSecond)} tok/s.`
    : 'No speed was recorded at its start.';
  return plainAnswer([
    `${said(cluster, 40)}: ${said(recipe, 60)} (#${number}) writes ${Math.round(middle)} tok/s.`,
    ...runs.map(
      ({ name, ttftMs, tokens, tokensPerSecond }) =>
        `${said(name, 40)}: first token ${duration(ttftMs)}, ${Math.round(tokensPerSecond)} tok/s over ${tokens} tokens`,
    ),
    then,
  ]);
}
