import type { ApiCall } from './web-api.ts';
import type { Delivery } from './delivery.ts';
import type { Message } from './message.ts';
import type { OpenView } from './view.ts';

export type SlackEvent =
  | { type: 'posted'; message: Message }
  | { type: 'edited'; message: Message }
  | { type: 'deleted'; message: Message }
  | { type: 'ephemeral'; message: Message; user: string }
  | { type: 'command'; user: string; channel: string; text: string }
  | { type: 'delivered'; delivery: Delivery }
  | { type: 'called'; call: ApiCall }
  | { type: 'view'; change: 'opened' | 'updated' | 'closed'; view: OpenView }
  | { type: 'channel'; channel: string }
  | { type: 'sockets'; open: number };

export interface Feed {
  /** Returns the call that stops listening. */
  listen: (listener: (event: SlackEvent) => void) => () => void;
  tell: (event: SlackEvent) => void;
}

export function createFeed(): Feed {
  const listeners = new Set<(event: SlackEvent) => void>();
  return {
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell(event) {
      for (const listener of listeners) listener(event);
    },
  };
}
