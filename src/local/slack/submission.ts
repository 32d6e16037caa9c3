import type { JsonObject } from './json.ts';
import { dropView, openView, readView, replaceView } from './modals.ts';
import type { OpenView } from './view.ts';
import type { Workspace } from './workspace.ts';

/** What the answer to a submission does with the modal: without an action it closes. */
export function followSubmission(workspace: Workspace, open: OpenView, ack: JsonObject): void {
  switch (ack['response_action']) {
    case 'errors':
      open.errors = Object.fromEntries(
        Object.entries(ack['errors'] ?? {}).map(([blockId, text]) => [blockId, String(text)]),
      );
      workspace.feed.tell({ type: 'view', change: 'updated', view: open });
      return;
    case 'update':
      replaceView(workspace, open, readView(ack['view']));
      return;
    case 'push':
      openView(workspace, open.user, readView(ack['view']), open);
      return;
    default:
      for (const other of workspace.views.values()) {
        const sameStack = other.view.root_view_id === open.view.root_view_id;
        if (other === open || (ack['response_action'] === 'clear' && sameStack)) dropView(workspace, other);
      }
  }
}
