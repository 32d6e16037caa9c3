import { randomBytes } from 'node:crypto';
import { digits } from './ids.ts';
import { Refusal } from './refusal.ts';
import type { Workspace } from './workspace.ts';

const LIFE_MS = 3_000;

export function newTrigger(workspace: Workspace, user: string): string {
  const id = `${digits(13)}.${digits(11)}.${randomBytes(16).toString('hex')}`;
  workspace.triggers.set(id, { user, expiresAt: workspace.clock.now() + LIFE_MS, used: false });
  return id;
}

/** Whose trigger it is. Good once, for 3 s. */
export function useTrigger(workspace: Workspace, id: string): string {
  const trigger = workspace.triggers.get(id);
  if (!trigger) throw new Refusal('invalid_trigger_id');
  if (trigger.used) throw new Refusal('exchanged_trigger_id');
  if (workspace.clock.now() > trigger.expiresAt) throw new Refusal('expired_trigger_id');
  trigger.used = true;
  return trigger.user;
}
