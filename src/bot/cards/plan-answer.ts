import type { PlanAnswer } from '../../jobs/jobs.ts';
import { fitting, preformatted, section, type Message } from './message.ts';
import { codeBlock, excerpt, said } from './mrkdwn.ts';
import { duration } from './time.ts';

/** What would run and where, the limits that matter, and as much of the commands as fits. */
export function planAnswer({ plan, text, revision }: PlanAnswer): Message {
  const { limits } = plan;
  const total = plan.phases.reduce((sum, phase) => sum + limits.phases[phase], 0);
  const overrides = Object.entries(plan.overrides).map(([key, value]) => said(`${key}=${String(value)}`, 80));
  const lines = [
    `${said(plan.recipe, 60)} on ${said(plan.cluster, 40)}: ${plan.nodes.map(({ name }) => said(name, 40)).join(', ')}. Nothing was changed.`,
    `Model ${said(plan.model, 120)} as ${said(plan.servedName, 80)}, at ${said(plan.endpoint, 120)}/v1`,
    `Image ${said(plan.image, 160)}`,
    ...(overrides.length > 0 ? [`With ${overrides.join(', ')}`] : []),
    `Limits: load ${duration(limits.phases.load)}, silent at most ${duration(limits.silenceMs)}; ${duration(total)} for all. Config ${said(revision, 12)}.`,
  ];
  const whole = text.trimEnd().split('\n');
  const command = paragraphOf(text, 'serve,').split('\n');
  return fitting(
    () => rendered(lines, whole, command),
    () => rendered(lines, command, command),
    () => rendered(lines, [], []),
  );
}

function paragraphOf(text: string, beginning: string): string {
  return text.split('\n\n').find((paragraph) => paragraph.startsWith(beginning)) ?? '';
}

/** `text` is what screen readers speak: the command alone. */
function rendered(lines: readonly string[], shown: readonly string[], spoken: readonly string[]): Message {
  const block = excerpt(shown, { count: 120 });
  return {
    text: [...lines, ...(spoken.length > 0 ? [codeBlock(excerpt(spoken, { count: 40 }))] : [])].join('\n'),
    blocks: [section(lines.join('\n')), ...(block.length > 0 ? [preformatted(block)] : [])],
  };
}
