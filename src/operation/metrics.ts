import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Deployment } from '../jobs/deployment.ts';
import type { EventBody } from '../jobs/events.ts';

export type Metrics = ReturnType<typeof createMetrics>;

const PHASE_BUCKETS_SECONDS = [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1_200, 2_700];

/** What a process counts, in a registry of its own. docs/metrics.md explains each; a test holds the two together. */
export function createMetrics({ version, roles }: { version: string; roles: readonly string[] }) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  new Gauge({
    name: 'sparkops_info',
    help: 'Always 1; its labels say what runs here',
    labelNames: ['version', 'roles'],
    registers,
  }).set({ version, roles: roles.join(',') }, 1);
  const deployments = new Counter({
    name: 'sparkops_deployments_total',
    help: 'Runs that came to an end in this process, by the state in which they ended',
    labelNames: ['cluster', 'state'],
    registers,
  });
  const phases = new Histogram({
    name: 'sparkops_phase_duration_seconds',
    help: 'How long phases took that ended in this process',
    labelNames: ['cluster', 'phase', 'state'],
    buckets: PHASE_BUCKETS_SECONDS,
    registers,
  });
  const commands = new Counter({
    name: 'sparkops_commands_total',
    help: 'What people asked, by what was decided',
    labelNames: ['decision'],
    registers,
  });
  const slackCalls = new Counter({
    name: 'sparkops_slack_calls_total',
    help: 'Calls to Slack, by method and how they ended',
    labelNames: ['method', 'outcome'],
    registers,
  });
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers });

  return {
    registry,
    commands,
    slackCalls,
    healthy: gauge('sparkops_healthy', '1 while /healthz answers 200'),
    partHealthy: gauge('sparkops_part_healthy', '1 for each part that is well', 'part'),
    sockets: gauge('sparkops_slack_sockets_open', 'Socket Mode connections to Slack'),
    lastRound: gauge(
      'sparkops_reconciler_last_round_timestamp_seconds',
      'When store, queue and nodes were last brought together',
    ),
    queueJobs: gauge('sparkops_queue_jobs', 'Jobs in a queue', 'queue', 'state'),
    claimed: gauge('sparkops_cluster_claimed', '1 while a deployment has the cluster', 'cluster'),
    leased: gauge('sparkops_cluster_leased', '1 while a process acts for the cluster', 'cluster'),
    serving: gauge('sparkops_cluster_serving', 'Deployments that serve on the cluster', 'cluster'),

    /** A change of a record that this process wrote. */
    recordChanged: ({ cluster, state, phases: all }: Deployment, event: EventBody | undefined): void => {
      if (event?.kind === 'ended') deployments.inc({ cluster, state });
      if (event?.kind !== 'phase' || event.state === 'running' || event.state === 'waiting') return;
      const phase = all.find(({ name }) => name === event.phase);
      const ms = Date.parse(phase?.endedAt ?? '') - Date.parse(phase?.startedAt ?? '');
      if (ms >= 0) phases.observe({ cluster, phase: event.phase, state: event.state }, ms / 1_000);
    },
  };
}
