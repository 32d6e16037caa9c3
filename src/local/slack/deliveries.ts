import { randomUUID } from 'node:crypto';
import type { Carrier, Delivery, Parcel } from './delivery.ts';
import type { Feed } from './feed.ts';

/** Sends parcels by the carrier of the moment, and keeps a record of each. */
export function createDeliveries(feed: Feed, carrier: () => Carrier) {
  const deliveries: Delivery[] = [];

  async function deliver(parcel: Parcel): Promise<Delivery> {
    const { kind, payload, acceptsAnswer } = parcel;
    const delivery: Delivery = { id: randomUUID(), kind, payload, sentAt: Date.now(), status: 'pending' };
    deliveries.push(delivery);
    const started = performance.now();
    const { status, ack, httpStatus } = await carrier()(delivery.id, parcel);
    delivery.status = status;
    if (status === 'acked') {
      delivery.ackMs = performance.now() - started;
      delivery.ack = acceptsAnswer ? (ack ?? {}) : {};
    }
    if (httpStatus !== undefined) delivery.httpStatus = httpStatus;
    feed.tell({ type: 'delivered', delivery });
    return delivery;
  }

  return { deliveries, deliver };
}
