import type { Explanation } from '../../errors.ts';
import type { Deployment } from '../../jobs/deployment.ts';
import type { LogExcerpt } from '../../jobs/jobs.ts';
import { fitting, preformatted, section, type Message } from './message.ts';
import { codeBlock, excerpt, said } from './mrkdwn.ts';

/** Lines of mrkdwn as an answer: the first one decides. */
export function plainAnswer(lines: readonly string[]): Message {
  return fitting(() => ({ text: lines.join('\n'), blocks: [section(lines.join('\n'))] }));
}

/** Says what did not happen, why, and what to do; and that nothing was changed. `more` is mrkdwn. */
export function refusal(
  { text, hint, lines }: Explanation,
  { not, more = [] }: { not: string | undefined; more?: readonly string[] },
): Message {
  const sentence = said(text);
  const first = not === undefined || sentence.startsWith('Not ') ? sentence : `${not}: ${sentence}`;
  const told = /nothing was \w+ed/i.test(`${text} ${hint}`);
  const rest = [...(hint ? [said(hint, 800)] : []), ...more];
  return withProof([first, ...rest, ...(not === undefined || told ? [] : ['Nothing was changed.'])], lines);
}

export function logsAnswer({ cluster, number, node, source, lines }: LogExcerpt): Message {
  const of = number === undefined ? '' : ` (#${number})`;
  if (lines.length === 0) return plainAnswer([`${cluster}${of}: ${said(source)} on ${said(node, 40)} is empty.`]);
  const first = `${cluster}${of}: last ${lines.length} lines of ${said(source)} on ${said(node, 40)}.`;
  return withProof([first], lines, lines.length);
}

/** "Deploying qwen35 on spark, #142. The card is in the channel." */
export function acceptedAnswer(doing: string, record: Deployment, channel: { card: string; asked: string }): Message {
  const where = channel.card === channel.asked ? 'in the channel' : `in <#${said(channel.card, 20)}>`;
  return plainAnswer([`${doing} ${record.recipe} on ${record.cluster}, #${record.number}. The card is ${where}.`]);
}

function withProof(texts: readonly string[], lines: readonly string[], count = 15): Message {
  const sizes = [count, 60, 30, 15, 8].filter((size) => size <= count).map((size) => () => sized(texts, lines, size));
  return fitting(() => sized(texts, lines, count), ...sizes);
}

function sized(texts: readonly string[], lines: readonly string[], count: number): Message {
  const shown = excerpt(lines, { count });
  if (shown.length === 0) return { text: texts.join('\n'), blocks: [section(texts.join('\n'))] };
  return {
    text: [...texts, codeBlock(shown)].join('\n'),
    blocks: [section(texts.join('\n')), preformatted(shown)],
  };
}
