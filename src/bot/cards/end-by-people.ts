import type { Deployment } from '../../jobs/deployment.ts';
import { decidedBy, decisionLines, joined } from './approval-words.ts';
import { person, said } from './mrkdwn.ts';
import { subject } from './subject.ts';

/** How a run ended that people, a clock or a hold kept from beginning. Undefined: it ended otherwise. */
export function endByPeople(record: Deployment, asker: string): readonly string[] | undefined {
  const { cluster, number, approval, cause } = record;
  const kind = keptBack(record);
  if (kind === undefined) return undefined;
  const what = `${subject(record)} (#${number})`;
  const by = approval?.decision ? decidedBy(approval.decision) : '';
  const whom = mentions(record, asker);
  const why = approval?.decision ? decisionLines(approval) : [];
  const text = cause === undefined ? [] : [said(cause.text)];
  switch (kind) {
    case 'denied':
      return [
        `${cluster} ${word(record, 'DENIED')}: ${what}${by}. Nothing was changed.${whom}`,
        ...why,
        ...goesOn(record),
      ];
    case 'withdrawn':
      return [
        `${cluster} ${word(record, 'CANCELLED')}: ${what}, withdrawn${by}. Nothing was changed.${whom}`,
        ...goesOn(record),
      ];
    case 'expired':
      return [
        `${cluster} ${word(record, 'EXPIRED')}: ${what}. Nothing was changed.${whom}`,
        ...text,
        ...goesOn(record),
      ];
    case 'void':
      return [
        `${cluster} ${word(record, 'VOID')}: approval of ${what}, nothing was done.${whom}`,
        ...(why.length > 0 ? why : text),
        ...goesOn(record),
      ];
  }
}

type Kept = 'denied' | 'withdrawn' | 'expired' | 'void';

/** Whether a decision other than a yes is how it ended. */
export function keptBack({ state, run, approval }: Pick<Deployment, 'state' | 'run' | 'approval'>): Kept | undefined {
  const said = approval && approval.action !== 'cancel' ? approval.decision?.kind : undefined;
  if (state === 'denied' || state === 'expired' || state === 'void') return state;
  if (said === undefined || said === 'approved') return undefined;
  const isOver = run === 'stop' ? state === 'serving' : state === 'cancelled';
  return isOver ? said : undefined;
}

/** What serves on. Of what made it void something else may serve by now. */
export function goesOn(record: Deployment): readonly string[] {
  const { run, recipe, number, approval, found = [] } = record;
  if (run === 'stop') return [`${said(recipe, 60)} (#${number}) serves on.`];
  const decision = approval?.decision;
  if (record.state === 'void' && !(decision && 'by' in decision && decision.by)) return [];
  const serving = approval && approval.action !== 'cancel' ? approval.facts.interrupts : found;
  if (serving.length === 0) return [];
  const names = serving.map((each) => `${said(each.recipe, 60)} (#${each.number})`);
  return [
    `${joined(names)} ${names.length === 1 ? 'was' : 'were'} not touched and still ${names.length === 1 ? 'serves' : 'serve'}.`,
  ];
}

/** Who agreed hears how it ended. */
export function approvedLines({ approval }: Pick<Deployment, 'approval'>): readonly string[] {
  const decision = approval?.decision;
  if (decision?.kind !== 'approved' || decision.by.length === 0) return [];
  const what = approval?.action === 'cancel' ? 'The cancel was approved' : 'Approved';
  return [`${what}${decidedBy(decision)}.`];
}

function word({ run }: Deployment, state: string): string {
  return run === 'stop' ? `NOT STOPPED, ${state}` : state;
}

function mentions({ approval }: Deployment, asker: string): string {
  const decision = approval?.decision;
  const named = decision ? decidedBy(decision) : '';
  const people = [asker, ...(approval?.votes ?? []).map(({ by }) => by.user)].map(person);
  const others = [...new Set(people)].filter((each) => !named.includes(each));
  return others.map((each) => ` ${each}`).join('');
}
