import type { Approval, Decision, Interrupted } from '../../jobs/approval/approval.ts';
import type { Deployment, Forced } from '../../jobs/deployment.ts';
import { sentence } from '../../jobs/sentence.ts';
import { clockTime, dayTime, person, said } from './mrkdwn.ts';

type Asked = Pick<Deployment, 'recipe' | 'number'>;

/** "stop qwen35 for @Maya's glm47", what dies first; without an asker "stop qwen35 for glm47". */
export function wish({ recipe, number }: Asked, approval: Approval, asker?: string): string {
  const { action, facts } = approval;
  const dies = dying(approval);
  const what = said(recipe, 60);
  const forWhom = asker === undefined ? '' : ` for ${asker}`;
  switch (action) {
    case 'deploy':
      return dies === ''
        ? `start ${what}${forWhom}`
        : `stop ${dies} for ${asker === undefined ? '' : `${asker}'s `}${what}`;
    case 'rollback':
      return dies === '' ? `bring back ${what}${forWhom}` : `stop ${dies} to bring back ${what}${forWhom}`;
    case 'restart':
      return dies === '' || dies === what
        ? `restart ${what}${forWhom}`
        : `stop ${dies} to start ${what} again${forWhom}`;
    case 'stop':
      return `stop ${what}${forWhom}`;
    case 'stop-foreign':
      return `stop ${joined(facts.foreign.map((name) => said(name, 80)))}${forWhom}`;
    case 'cancel':
      return `cancel ${what} (#${number})${forWhom}`;
  }
}

/** "qwen35 and glm47": what serves and would be interrupted. */
export function dying({ facts }: Approval): string {
  return joined(facts.interrupts.map(({ recipe }) => said(recipe, 60)));
}

/** "3 running"; undefined where it is not known of all, or nothing is interrupted. */
export function runningIn(interrupts: readonly Interrupted[]): number | undefined {
  let total = 0;
  for (const { running } of interrupts) {
    if (running === undefined) return undefined;
    total += running;
  }
  return interrupts.length === 0 ? undefined : total;
}

/** What became of the request, as a word in capitals. */
export function decisionWord(decision: Decision): string {
  switch (decision.kind) {
    case 'approved':
      return decision.glass ? 'BREAK GLASS' : decision.by.length === 0 ? 'NOBODY DECIDED' : 'APPROVED';
    case 'denied':
      return 'DENIED';
    case 'withdrawn':
      return 'WITHDRAWN';
    case 'expired':
      return 'EXPIRED';
    case 'void':
      return 'VOID';
  }
}

/** " by @Tom and @Ana", or nothing. */
export function decidedBy(decision: Decision): string {
  const people = decision.kind === 'approved' ? decision.by : 'by' in decision && decision.by ? [decision.by] : [];
  return people.length === 0 ? '' : ` by ${joined(people.map(({ user }) => person(user)))}`;
}

/** Who decided, when and why, in lines of mrkdwn. */
export function decisionLines({ decision, terms, facts }: Approval): readonly string[] {
  if (!decision) return [];
  const head = `${decisionWord(decision)}${decidedBy(decision)} at ${clockTime(decision.at)}`;
  switch (decision.kind) {
    case 'approved': {
      if (decision.glass) return [`${head}, alone: "${said(decision.glass.reason, 300)}"`];
      if (decision.by.length === 0) return [`Nobody decided in time, so it went ahead at ${clockTime(decision.at)}.`];
      const latest = new Date(Date.parse(decision.at) + terms.idleMs).toISOString();
      const idle = `Carried out as soon as no request runs, or not at all after ${dayTime(latest)}.`;
      const owners = facts.interrupts.some(({ owner }) => owner) ? ['Until then its owner may still object.'] : [];
      return [`${head}.`, ...(decision.when === 'idle' ? [idle, ...owners] : [])];
    }
    case 'denied':
    case 'void':
      return [decision.why === undefined ? `${head}.` : `${head}: ${said(sentence(decision.why), 300)}`];
    case 'withdrawn':
    case 'expired':
      return [`${head}.`];
  }
}

/** Was somebody asked before this run might interrupt what serves? A cancel's request is another one. */
export function wasAsked({ approval }: Pick<Deployment, 'approval'>): boolean {
  return approval !== undefined && (approval.action !== 'cancel' || approval.id > 1);
}

/** On the card for good. */
export function forcedLines({ forced }: { forced?: Forced | undefined }): readonly string[] {
  if (!forced) return [];
  return [`FORCED by ${person(forced.by.user)}, passing ${forced.what.join(' and ')}: ${said(forced.reason, 300)}`];
}

export function joined(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}
