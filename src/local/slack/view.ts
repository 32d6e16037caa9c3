import type { KnownBlock, PlainTextElement } from '@slack/types';
import type { JsonObject } from './json.ts';

/** block_id -> action_id -> the state of the element. */
export type Values = Record<string, Record<string, JsonObject>>;

/** A modal, with Slack's field names. */
export interface View {
  id: string;
  team_id: string;
  type: 'modal';
  title: PlainTextElement;
  submit: PlainTextElement | null;
  close: PlainTextElement | null;
  blocks: KnownBlock[];
  private_metadata: string;
  callback_id: string;
  external_id: string;
  state: { values: Values };
  hash: string;
  clear_on_close: boolean;
  notify_on_close: boolean;
  previous_view_id: string | null;
  root_view_id: string;
  app_id: string;
  app_installed_team_id: string;
  bot_id: string;
}

export interface OpenView {
  user: string;
  view: View;
  /** Field errors of the last submission, by block_id. */
  errors: Record<string, string>;
}
