import type { JsonObject } from './json.ts';

type DeliveryKind = 'slash_commands' | 'interactive' | 'events_api';

type DeliveryStatus =
  | 'pending'
  | 'acked'
  | 'timeout' // no acknowledgement in 3 s
  | 'dispatch_failed' // no socket, or nobody answered at the URL
  | 'http_error'; // the URL answered, but not with 2xx

/** Something Slack sent to the app. */
export interface Delivery {
  id: string;
  kind: DeliveryKind;
  payload: JsonObject;
  sentAt: number;
  status: DeliveryStatus;
  /** How long the app took to acknowledge. */
  ackMs?: number;
  ack?: JsonObject;
  httpStatus?: number;
}

export interface Parcel {
  kind: DeliveryKind;
  payload: JsonObject;
  /** Whether an answer inside the acknowledgement counts. */
  acceptsAnswer: boolean;
}

export type Outcome = { status: Exclude<DeliveryStatus, 'pending'>; ack?: JsonObject; httpStatus?: number };

/** How parcels reach the app. Never rejects. */
export type Carrier = (id: string, parcel: Parcel) => Promise<Outcome>;
