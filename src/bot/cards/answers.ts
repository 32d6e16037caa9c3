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
  const texts = [first, ...rest, ...(not === undefined || told ? [] : ['Nothing was changed.'])];
  return fitting(
    () => withProof(texts, lines),
    () => withProof(texts, lines, 5),
  );
}

export function logsAnswer({ cluster, number, node, source, lines, nothing, searched }: LogExcerpt): Message {
  if (nothing !== undefined) return plainAnswer([said(nothing)]);
  const of = number === undefined ? '' : ` (#${number})`;
  const where = `${said(source)} on ${said(node, 40)}`;
  if (lines.length === 0) {
    const what = searched === undefined ? `${where} is empty.` : `no such line among the last ${searched} of ${where}.`;
    return plainAnswer([`${cluster}${of}: ${what}`]);
  }
  const asked = searched === undefined ? '' : ' that were asked for';
  const [first, ...rest] = shorter(lines.length).map((count) => () => {
    return withProof([`${cluster}${of}: last ${count} lines${asked} of ${where}.`], lines, count);
  });
  return first ? fitting(first, ...rest) : plainAnswer([]);
}

/** "Deploying qwen35 on spark, #142. The card is in the channel." */
export function acceptedAnswer(
  doing: string,
  record: Deployment,
  { card, asked, more = [] }: { card: string; asked: string; more?: readonly string[] },
): Message {
  const where = card === asked ? 'in the channel' : `in <#${said(card, 20)}>`;
  const first = `${doing} ${record.recipe} on ${record.cluster}, #${record.number}. The card is ${where}.`;
  return plainAnswer([first, ...more]);
}

/** From all lines to few: the first that fits is shown. */
function shorter(count: number): readonly number[] {
  return [count, 120, 80, 60, 40, 30, 20, 15, 10, 5].filter((size) => size <= count);
}

function withProof(texts: readonly string[], lines: readonly string[], count = 15): Message {
  const shown = excerpt(lines, { count });
  if (shown.length === 0) return { text: texts.join('\n'), blocks: [section(texts.join('\n'))] };
  return {
    text: [...texts, codeBlock(shown)].join('\n'),
    blocks: [section(texts.join('\n')), preformatted(shown)],
  };
}
