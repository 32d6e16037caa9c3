import type { Logger } from 'pino';
import type { OurContainer } from '../../cluster/probes/containers.ts';
import type { Config } from '../../config/config.ts';
import { explain, OperatorError } from '../../errors.ts';
import { isForeign, type Cause } from '../deployment.ts';
import type { Entry, Journal } from '../journal.ts';
import { readServing } from '../looks/look-at-node.ts';
import { ended } from '../run/record-changes.ts';
import type { Store } from '../store.ts';
import type { Transports } from '../transports.ts';
import { isSampleDue, sampleEngine } from './sample-engine.ts';

export interface FindDead {
  store: Store;
  journal: Journal;
  config: Config;
  transports: Transports;
  signal: AbortSignal;
  now: () => Date;
  log: Logger;
}

/** Looks at the head of a deployment that is listed as serving: one whose engine is gone for certain has died, another leaves a sample. */
export async function findDead(
  { store, journal, config, transports, signal, now, log }: FindDead,
  { record }: Entry,
): Promise<void> {
  if (isForeign(record)) return;
  const cluster = config.clusters.get(record.cluster);
  const head = cluster?.nodes.find(({ name }) => name === record.plan.nodes[0].name);
  if (record.state !== 'serving' || !cluster || !head) return;
  const { connect, read } = config.sparkops.timeouts;
  const look = {
    realm: config.sparkops.name,
    cluster,
    node: head,
    transport: transports.to(cluster),
    signal,
    limitMs: connect + read,
  };
  let cause: Cause | undefined;
  try {
    const due = await isSampleDue(store, record.uid, now());
    const { containers, gpu } = await readServing(look, { gpu: due });
    cause = deathOf(
      containers.find(({ uid }) => uid === record.uid),
      head.name,
    );
    if (!cause && due) await sampleEngine({ store, transport: look.transport, signal, now, log }, record, gpu);
  } catch (error) {
    // A node that can't be read may serve all the same.
    if (!(error instanceof OperatorError)) throw error;
    log.debug({ deployment: record.number }, `Not looked at: ${explain(error).text}`);
    return;
  }
  if (!cause) return;
  const seen = cause;
  log.warn({ deployment: record.number }, `It died: ${seen.text}`);
  await journal.change(record.uid, (latest) =>
    latest.state === 'serving' ? ended({ ...latest, cause: seen, remedy: REMEDY }, 'died', now()) : undefined,
  );
}

const REMEDY = 'Look at its log, then deploy it again.';

function deathOf(container: OurContainer | undefined, node: string): Cause | undefined {
  if (!container) return { text: `Its container on ${node} is gone`, node, lines: [] };
  if (container.engine !== 'none') return undefined;
  return { text: howItEnded(container, node), node, lines: [] };
}

function howItEnded({ running, outOfMemory, exitCode, serveExit }: OurContainer, node: string): string {
  if (outOfMemory) return `${node} ran out of memory, and the kernel ended the container`;
  if (serveExit !== undefined)
    return `The engine on ${node} ended: ${/^\d+$/.test(serveExit) ? `exit code ${serveExit}` : serveExit}`;
  if (!running) return `The container on ${node} ended with exit code ${exitCode}`;
  return `The engine's process on ${node} is gone, and its container still runs`;
}
