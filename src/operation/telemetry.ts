import type { Telemetry } from 'bullmq';

/**
 * The queues' spans, by BullMQ's own package. It writes to whatever OpenTelemetry SDK the process was started with
 * (NODE_OPTIONS="--import ..."); without one it writes to nobody. Loaded only when it is wanted.
 */
export async function openTelemetry(version: string): Promise<Telemetry> {
  const { BullMQOtel } = await import('bullmq-otel');
  return new BullMQOtel({ tracerName: 'sparkops', version });
}
