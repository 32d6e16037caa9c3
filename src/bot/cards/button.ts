import type { Button, ConfirmationDialog } from '@slack/types';
import type { ActionId } from '../buttons.ts';
import { plain } from './mrkdwn.ts';

interface ButtonParts {
  /** Registered in buttons.ts, with the command that it is. */
  action: ActionId;
  text: string;
  /** What its kind holds: a deployment's uid, or a command in words. At most 2,000 characters. */
  value: string;
  style?: 'primary' | 'danger';
  confirm?: ConfirmationDialog;
}

export function button({ action, text, value, style, confirm }: ButtonParts): Button {
  return {
    type: 'button',
    action_id: action,
    text: { type: 'plain_text', text: plain(text, 75) },
    value,
    ...(style && { style }),
    ...(confirm && { confirm }),
  };
}
