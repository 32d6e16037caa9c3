import { z } from 'zod';
import { openView, readView, replaceView, stackOf } from '../modals.ts';
import { Refusal } from '../refusal.ts';
import { useTrigger } from '../triggers.ts';
import { defineMethod } from './method.ts';

const Opening = z.object({ trigger_id: z.string(), view: z.unknown() });

export const openModal = defineMethod(Opening, (args, workspace) => {
  const modal = readView(args.view);
  const user = useTrigger(workspace, args.trigger_id);
  return { view: openView(workspace, user, modal).view };
});

export const pushModal = defineMethod(Opening, (args, workspace) => {
  const modal = readView(args.view);
  const user = useTrigger(workspace, args.trigger_id);
  return { view: openView(workspace, user, modal, stackOf(workspace, user).at(-1)).view };
});

export const updateModal = defineMethod(
  z.object({
    view_id: z.string().optional(),
    external_id: z.string().optional(),
    hash: z.string().optional(),
    view: z.unknown(),
  }),
  (args, workspace) => {
    const modal = readView(args.view);
    const open = [...workspace.views.values()].find(
      ({ view }) => view.id === args.view_id || (view.external_id !== '' && view.external_id === args.external_id),
    );
    if (!open) throw new Refusal('not_found');
    if (args.hash !== undefined && args.hash !== open.view.hash) throw new Refusal('hash_conflict');
    replaceView(workspace, open, modal);
    return { view: open.view };
  },
);
