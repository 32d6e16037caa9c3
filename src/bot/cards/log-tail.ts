import type { Deployment } from '../../jobs/deployment.ts';
import { fitting, preformatted, section, type Message } from './message.ts';
import { codeBlock, excerpt, said } from './mrkdwn.ts';

/** The last lines of a log, where Slack does not take it as a file. */
export function logTail({ number }: Deployment, { node, lines }: { node: string; lines: readonly string[] }): Message {
  const heading = `The last lines of the engine's log on ${said(node, 40)}. More: \`/spark logs ${number} lines 200\``;
  const shown = (count: number) => excerpt(lines.slice(-count), { count, width: 300 });
  return fitting(
    () => rendered(heading, shown(25)),
    () => rendered(heading, shown(8)),
  );
}

function rendered(heading: string, lines: readonly string[]): Message {
  return { text: `${heading}\n${codeBlock(lines)}`, blocks: [section(heading), preformatted(lines)] };
}
