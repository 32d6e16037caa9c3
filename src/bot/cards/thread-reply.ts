import type { KnownBlock } from '@slack/types';
import type { CheckRow, DeploymentEvent } from '../../jobs/events.ts';
import { fitting, preformatted, section, type Message } from './message.ts';
import { codeBlock, excerpt, person, said } from './mrkdwn.ts';
import { causeText, mayHaveStarted } from './outcome.ts';
import { phaseWord } from './phases.ts';

interface Part {
  lines: readonly string[];
  /** Lines of a log that show it. */
  proof?: readonly string[];
}

/** More rows than this, or longer proof, would hide what matters on a phone. */
const ROWS = 12;

/** What the thread says of some events; undefined when the card says it all. */
export function threadReply(events: readonly DeploymentEvent[]): Message | undefined {
  const parts = events.flatMap((event) => partsOf(event));
  if (parts.length === 0) return undefined;
  return fitting(
    () => rendered(parts, 15),
    () => rendered(parts, 5),
    () => rendered(parts.slice(-4), 5),
    () =>
      rendered(
        parts.map(({ lines }) => ({ lines: lines.slice(0, 3) })),
        0,
      ),
  );
}

function rendered(parts: readonly Part[], proofLines: number): Message {
  const texts: string[] = [];
  const blocks: KnownBlock[] = [];
  for (const { lines, proof = [] } of parts) {
    const shown = excerpt(proof, { count: proofLines });
    texts.push(lines.join('\n'));
    blocks.push(section(lines.join('\n')));
    if (shown.length === 0 || proofLines === 0) continue;
    texts.push(codeBlock(shown));
    blocks.push(preformatted(shown));
  }
  return { text: texts.join('\n'), blocks: blocks.slice(0, 50) };
}

function partsOf(event: DeploymentEvent): readonly Part[] {
  switch (event.kind) {
    case 'checks':
      return checks(event.rows);
    case 'note': {
      const where = event.node === undefined ? '' : `${said(event.node, 40)}: `;
      const warning = event.level === 'warning' ? 'Warning, ' : '';
      const during = warning && !where ? `${phaseWord(event.phase)}: ` : '';
      return [part(`${warning}${where}${during}${said(event.text)}`, event.lines)];
    }
    case 'cancel-asked':
      return [part(`Cancel asked by ${person(event.by.user)}.`)];
    case 'aborting':
      return failing(event);
    case 'handover':
      return [part(`Another process of the bot goes on with this: ${said(event.why)}`)];
    // The request is a message of its own, which tells what people say of it; so is what was forced.
    case 'forced':
    case 'approval-asked':
    case 'approval-vote':
    case 'approval-decided':
    case 'admitted':
    case 'phase':
    case 'progress':
    case 'ended':
      return [];
  }
}

/** At once, in one sentence; what proves it comes with the end. Where nothing has to be removed the end comes at once, too. */
function failing({ cause, phase }: DeploymentEvent & { kind: 'aborting' }): readonly Part[] {
  if (!cause || (phase !== undefined && !mayHaveStarted(phase))) return [];
  const where = phase === undefined ? '' : ` at ${phaseWord(phase)}`;
  return [part(`FAILING${where}: ${causeText(cause)}\nRemoving what was started.`)];
}

/** Those that are fine are counted, the others are named with what to do. */
function checks(rows: readonly CheckRow[]): readonly Part[] {
  const failed = rows.filter((row) => row.state === 'failed');
  const warnings = rows.filter((row) => row.state === 'warning');
  const fine = rows.length - failed.length - warnings.length;
  const counts = [
    ...(failed.length > 0 ? [`${failed.length} FAILED`] : []),
    ...(warnings.length > 0 ? [`${warnings.length} ${warnings.length === 1 ? 'warning' : 'warnings'}`] : []),
    `${fine} ok`,
  ];
  const shown = [...failed, ...warnings];
  const hidden = shown.length - ROWS;
  return [
    part(`Checks: ${counts.join(', ')}.`),
    ...shown.slice(0, ROWS).map((row, at) => part(checkText(row, shown[at - 1]), row.lines)),
    ...(hidden > 0 ? [part(`And ${hidden} more.`)] : []),
  ];
}

function checkText({ node, check, state, text, remedy }: CheckRow, before: CheckRow | undefined): string {
  const word = state === 'failed' ? 'FAILED' : 'Warning';
  const where = text.startsWith(node) ? '' : `${said(node, 40)} `;
  const next = remedy === undefined || remedy === before?.remedy ? '' : `\nNext: ${said(remedy)}`;
  return `${word}, ${where}${said(check, 40)}: ${said(text)}${next}`;
}

function part(text: string, proof?: readonly string[]): Part {
  return { lines: text.split('\n'), ...(proof === undefined || proof.length === 0 ? {} : { proof }) };
}
