import type { ModalView } from '@slack/types';
import { newId, newViewHash } from './ids.ts';
import { APP_ID, BOT, TEAM } from './people.ts';
import { Refusal } from './refusal.ts';
import { areBlocks } from './validate/validate-blocks.ts';
import { blocksAsStored } from './validate/as-stored.ts';
import { isModal, validateView } from './validate/validate-view.ts';
import type { OpenView, View } from './view.ts';
import type { Workspace } from './workspace.ts';

const MOST_BYTES = 250_000;
const MOST_VIEWS = 3;

/** Throws the Refusal that Slack would answer for the view. */
export function readView(view: unknown): ModalView {
  if (Buffer.byteLength(JSON.stringify(view) ?? '') > MOST_BYTES) throw new Refusal('view_too_large');
  if (!isModal(view)) throw new Refusal('invalid_arguments', validateView(view));
  return view;
}

export function openView(workspace: Workspace, user: string, modal: ModalView, previous?: OpenView): OpenView {
  if (externalIdTaken(workspace, modal)) throw new Refusal('duplicate_external_id');
  if (stackOf(workspace, user).length >= MOST_VIEWS) throw new Refusal('push_limit_reached');
  const id = newId('V');
  const view: View = {
    id,
    ...shown(workspace, modal),
    team_id: TEAM.id,
    state: { values: {} },
    previous_view_id: previous?.view.id ?? null,
    root_view_id: previous?.view.root_view_id ?? id,
    app_id: APP_ID,
    app_installed_team_id: TEAM.id,
    bot_id: BOT.botId,
  };
  const open: OpenView = { user, view, errors: {} };
  workspace.views.set(id, open);
  workspace.feed.tell({ type: 'view', change: 'opened', view: open });
  return open;
}

export function replaceView(workspace: Workspace, open: OpenView, modal: ModalView): void {
  open.view = { ...open.view, ...shown(workspace, modal) };
  open.errors = {};
  workspace.feed.tell({ type: 'view', change: 'updated', view: open });
}

export function dropView(workspace: Workspace, open: OpenView): void {
  workspace.views.delete(open.view.id);
  workspace.feed.tell({ type: 'view', change: 'closed', view: open });
}

/** A person's modals, the one in front last. */
export function stackOf(workspace: Workspace, user: string): OpenView[] {
  return [...workspace.views.values()].filter((open) => open.user === user);
}

type Shown = Omit<
  View,
  'id' | 'team_id' | 'state' | 'previous_view_id' | 'root_view_id' | 'app_id' | 'app_installed_team_id' | 'bot_id'
>;

function shown(workspace: Workspace, modal: ModalView): Shown {
  const stored = blocksAsStored(modal.blocks);
  return {
    type: 'modal',
    title: modal.title,
    submit: modal.submit ?? null,
    close: modal.close ?? null,
    blocks: areBlocks(stored, 'modal') ? stored : [],
    private_metadata: modal.private_metadata ?? '',
    callback_id: modal.callback_id ?? '',
    external_id: modal.external_id ?? '',
    hash: newViewHash(workspace.clock.now()),
    clear_on_close: modal.clear_on_close ?? false,
    notify_on_close: modal.notify_on_close ?? false,
  };
}

function externalIdTaken(workspace: Workspace, modal: ModalView): boolean {
  if (!modal.external_id) return false;
  return [...workspace.views.values()].some((open) => open.view.external_id === modal.external_id);
}
