import { stackOf } from '../modals.ts';
import type { Reader } from '../text/reader.ts';
import type { Workspace } from '../workspace.ts';
import { blocksHtml } from './blocks-html.ts';
import { escapeHtml, plainHtml } from './html.ts';

/** The inside of the dialog for the modal in front of a person, or nothing. */
export function modalHtml(workspace: Workspace, reader: Reader, user: string): string {
  const open = stackOf(workspace, user).at(-1);
  if (!open) return '';
  const { view, errors } = open;
  const blocks = blocksHtml(view.blocks, { reader, people: [...workspace.people.values()], errors });
  const submit = view.submit ? `<button class="button primary">${plainHtml(view.submit.text)}</button>` : '';
  const close = plainHtml(view.close?.text ?? 'Cancel');
  const id = escapeHtml(view.id);
  return (
    `<form data-key="${id}" data-view="${id}" novalidate><h2 id="modal-title">${plainHtml(view.title.text)}</h2>${blocks}` +
    `<footer><button type="button" class="button" data-close>${close}</button>${submit}</footer></form>`
  );
}
