import type { Approval, Interrupted } from '../../jobs/approval/approval.ts';
import type { Deployment } from '../../jobs/deployment.ts';
import { joined } from './approval-words.ts';
import { clockTime, dayTime, person, said } from './mrkdwn.ts';
import { untilAndNote } from './ownership.ts';
import { duration } from './time.ts';

/** What is known of what would be interrupted, in lines of mrkdwn; "unknown" where nobody looked. */
export function factLines(record: Deployment, approval: Approval): readonly string[] {
  const { action, facts } = approval;
  if (action === 'cancel') return cancelLines(record);
  const { checks, foreign, interrupts } = facts;
  return [
    ...interrupts.flatMap((each) => interruptLines(each, approval)),
    ...(foreign.length > 0 ? [`Stops what I did not start: ${joined(foreign.map((name) => said(name, 80)))}.`] : []),
    ...downLines(record, approval),
    ...(checks.ok + checks.warnings > 0 ? [checksLine(checks)] : []),
    ...(facts.protected && interrupts.length === 0
      ? [`Nothing is interrupted, but ${said(record.cluster, 40)} is protected.`]
      : []),
  ];
}

function cancelLines({ by, createdAt, recipe, number, cluster }: Deployment): readonly string[] {
  return [
    `Cancels ${person(by.user)}'s ${said(recipe, 60)} (#${number}), which has been starting since ${clockTime(createdAt)}.`,
    `It is past the point of no return: what served before is gone, and nothing serves on ${said(cluster, 40)} then.`,
  ];
}

function interruptLines(interrupted: Interrupted, { action }: Approval): readonly string[] {
  const { recipe, number, state, owner, until, note } = interrupted;
  const verb = action === 'restart' ? 'Interrupts' : 'Stops';
  const whose = [owner ? `of ${person(owner.user)}` : 'of nobody that is known', ...untilAndNote({ until, note })].join(
    ', ',
  );
  const sick = state === 'down' || state === 'wedged' ? ` It is ${state.toUpperCase()}.` : '';
  return [
    `${verb} ${said(recipe, 60)} (#${number}), ${whose}.${sick}`,
    usageLine(interrupted),
    wayBackLine(interrupted),
  ];
}

/** Between two bursts of an eval nothing runs: the last hour says more than now. */
function usageLine({ running, waiting, requestsLastHour, lastRequestAt }: Interrupted): string {
  const waits = waiting === undefined || waiting === 0 ? '' : ` (${waiting} waiting)`;
  const last = lastRequestAt === undefined ? (requestsLastHour === 0 ? 'none' : 'unknown') : dayTime(lastRequestAt);
  return `Running now: ${known(running)}${waits}. In the last hour: ${known(requestsLastHour)}. Last request: ${last}.`;
}

function wayBackLine({ wayBack }: Interrupted): string {
  const text = said(wayBack.text, 200).replace(/\.$/, '');
  return wayBack.proven ? `Way back: proven, ${text}.` : `WAY BACK NOT PROVEN: ${text}.`;
}

function downLines({ recipe, cluster }: Deployment, { action, facts }: Approval): readonly string[] {
  if (action === 'stop') return [`Nothing serves on ${said(cluster, 40)} then.`];
  if (action === 'stop-foreign' || facts.interrupts.length === 0) return [];
  return facts.downMs === undefined
    ? [`Down for how long: no history of ${said(recipe, 60)} here.`]
    : [`Down about ${duration(facts.downMs)}, as ${said(recipe, 60)} took here before.`];
}

function checksLine({ ok, warnings }: { ok: number; warnings: number }): string {
  const warned = warnings === 0 ? '' : `, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
  return `Checks: ${ok} ok${warned}.`;
}

function known(count: number | undefined): string {
  return count === undefined ? 'unknown' : String(count);
}
