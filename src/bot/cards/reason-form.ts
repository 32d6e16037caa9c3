import type { ModalView } from '@slack/types';
import { plain } from './mrkdwn.ts';

export const REASON_FORM = 'reason';
export const REASON_FIELD = 'reason';

export interface ReasonForm {
  /** "Deny #142". */
  title: string;
  /** What it is about, for who has forgotten it meanwhile. */
  about: string;
  /** What would be typed, without the reason. */
  typed: string;
  /** Where it was pressed or typed. */
  channel: string;
}

/** A "no" with its reason: who asked reads it. */
export function reasonForm({ title, about, typed, channel }: ReasonForm): ModalView {
  return {
    type: 'modal',
    callback_id: REASON_FORM,
    private_metadata: JSON.stringify({ channel, typed }),
    title: { type: 'plain_text', text: plain(title, 24) },
    submit: { type: 'plain_text', text: plain(title.split(' ')[0] ?? 'Send', 24) },
    close: { type: 'plain_text', text: 'Go back' },
    blocks: [
      {
        type: 'input',
        block_id: REASON_FIELD,
        label: { type: 'plain_text', text: 'Reason' },
        hint: { type: 'plain_text', text: plain(about, 150) },
        element: {
          type: 'plain_text_input',
          action_id: REASON_FIELD,
          max_length: 300,
          placeholder: { type: 'plain_text', text: 'eval run until 18:00' },
        },
      },
    ],
  };
}
