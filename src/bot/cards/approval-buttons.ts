import type { Button, ConfirmationDialog } from '@slack/types';
import type { Approval, Interrupted } from '../../jobs/approval/approval.ts';
import { isSame, type Deployment } from '../../jobs/deployment.ts';
import { dying, runningIn, wish } from './approval-words.ts';
import { button } from './button.ts';
import { plain } from './mrkdwn.ts';

/** Each carries the request that it is about: one that is over is told apart from the next. */
export function requestButtons(record: Deployment, approval: Approval): readonly Button[] {
  const value = `${record.uid} request ${approval.id}`;
  const approve = button({
    action: 'approve',
    text: 'Approve',
    value,
    style: 'primary',
    confirm: confirm(record, approval, 'now'),
  });
  const idle = button({
    action: 'when-idle',
    text: 'When idle',
    value: `${value} idle`,
    confirm: confirm(record, approval, 'idle'),
  });
  const objects = approval.facts.interrupts.some(({ owner }) => owner && !isSame(owner, approval.by));
  return [
    approve,
    ...(canWait(approval) ? [idle] : []),
    button({ action: 'deny', text: 'Deny', value, style: 'danger' }),
    ...(objects && approval.action !== 'cancel' ? [button({ action: 'object', text: 'Object', value })] : []),
    button({ action: 'withdraw', text: 'Withdraw', value }),
  ];
}

/** Waiting for an idle moment makes sense where requests come. */
function canWait({ action, facts }: Approval): boolean {
  return action !== 'cancel' && facts.interrupts.some(isUsed);
}

function isUsed({ running = 0, waiting = 0, requestsLastHour = 0, lastRequestAt }: Interrupted): boolean {
  return running > 0 || waiting > 0 || requestsLastHour > 0 || lastRequestAt !== undefined;
}

/** A slip of a thumb must not stop a model. */
function confirm(record: Deployment, approval: Approval, when: 'now' | 'idle'): ConfirmationDialog {
  const words =
    when === 'now'
      ? now(record, approval)
      : `${capital(asked(record, approval))} on ${record.cluster} as soon as no request runs?`;
  return {
    title: { type: 'plain_text', text: plain(`Approve #${record.number}?`, 100) },
    text: { type: 'plain_text', text: plain(words, 300) },
    confirm: { type: 'plain_text', text: label(approval) },
    deny: { type: 'plain_text', text: 'Go back' },
    ...(when === 'now' && { style: 'danger' as const }),
  };
}

function now(record: Deployment, approval: Approval): string {
  const question = `${capital(asked(record, approval))} on ${record.cluster} now?`;
  const { action, facts } = approval;
  if (action === 'cancel') return `${question} Nothing serves then.`;
  if (facts.interrupts.length === 0) return question;
  const running = runningIn(facts.interrupts);
  if (running === undefined) return `${question} How many requests run is not known.`;
  return `${question} ${running === 1 ? '1 request is' : `${running} requests are`} running.`;
}

/** "stop qwen35", without for whom. */
function asked(record: Deployment, approval: Approval): string {
  const dies = dying(approval);
  if (approval.action === 'deploy' && dies !== '') return `stop ${dies}`;
  return wish(record, approval);
}

function label({ action, facts }: Approval): string {
  switch (action) {
    case 'deploy':
    case 'rollback':
      return facts.interrupts.length === 0 ? 'Start it' : 'Stop and switch';
    case 'restart':
      return 'Restart it';
    case 'stop':
    case 'stop-foreign':
      return 'Stop it';
    case 'cancel':
      return 'Cancel it';
  }
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
