import { randomUUID } from 'node:crypto';
import type { Machine } from '../../cluster/machine.ts';
import { benchEngine, type BenchRun } from '../../cluster/probes/bench-engine.ts';
import { API_KEY_VARIABLE, engineHttp } from '../../cluster/probes/engine-http.ts';
import { preflight } from '../../cluster/probes/preflight/preflight.ts';
import { openMachines } from '../../cluster/remote/machines.ts';
import type { Cluster } from '../../config/cluster-file.ts';
import { OperatorError } from '../../errors.ts';
import type { Plan } from '../deployment.ts';
import type { CheckRow } from '../events.ts';
import type { Looking } from './run-look.ts';

/** The rows of preflight. No fence is raised, so only what can be read is judged. */
export async function lookAtChecks(looking: Looking, plan: Plan): Promise<readonly CheckRow[]> {
  const { signal, limitMs } = looking;
  const cluster = await clusterOf(looking, plan);
  const { rows } = await preflight(plan, machinesOf(looking, plan, cluster), {
    signal,
    limitMs: Math.min(limitMs, plan.limits.phases.preflight),
    replacing: plan.phases.includes('approval'),
    tolerates: cluster.tolerates,
  });
  const addresses = new Map(plan.nodes.map(({ name, address }) => [name, address]));
  return rows.map((row) =>
    row.check === 'reach' && row.state === 'ok' ? { ...row, text: `${addresses.get(row.node) ?? ''} answers` } : row,
  );
}

export async function lookAtSpeed(looking: Looking, plan: Plan): Promise<readonly BenchRun[]> {
  const { signal, limitMs, secret } = looking;
  const [head] = machinesOf(looking, plan, await clusterOf(looking, plan));
  const keyName = head.node.secrets[API_KEY_VARIABLE];
  const apiKey = keyName === undefined ? undefined : secret?.(keyName);
  return benchEngine(engineHttp(head, plan), {
    servedName: plan.servedName,
    nonce: randomUUID().slice(0, 8),
    signal,
    limitMs,
    ...(apiKey && { apiKey }),
  });
}

async function clusterOf({ config }: Looking, plan: Plan): Promise<Cluster> {
  const cluster = (await config()).clusters.get(plan.cluster);
  if (!cluster) {
    throw new OperatorError('config', `clusters/${plan.cluster}.yaml is gone, so there is no way to its nodes.`, {
      hint: 'Put the file back.',
    });
  }
  return cluster;
}

function machinesOf({ transports, signal }: Looking, plan: Plan, cluster: Cluster): readonly [Machine, ...Machine[]] {
  const grip = () => Promise.reject(new Error('A look changes nothing'));
  return openMachines({ plan, transport: transports.to(cluster), grip, signal });
}
