import { z } from 'zod';
import type { Deployment } from '../../jobs/deployment.ts';
import { isEnded } from '../../jobs/deployment.ts';
import { OperatorError } from '../../errors.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { acceptedAnswer } from '../cards/answers.ts';
import { defineCommand, type ChatCommand } from '../command.ts';
import { askedIn, SURFACE, type Places } from '../places.ts';
import { beforeIt } from './before-it.ts';
import { whereOf } from './names.ts';
import { DeploymentNumber } from './number.ts';

const LOOK_BACK = 100;

type RetryJobs = Pick<Jobs, 'deploy' | 'findByNumber' | 'history' | 'clusters' | 'overview'>;

export function retryCommand(jobs: RetryJobs, places: Places, now: () => Date): ChatCommand {
  return defineCommand({
    name: 'retry',
    summary: 'Deploy the same again: recipe, cluster and overrides of a number, or of the last one that ended',
    right: 'operator',
    approval: 'if a model serves',
    not: 'Not started',
    input: z.object({ number: DeploymentNumber.optional(), cluster: z.string().optional() }),
    positional: ['number'],
    words: { on: 'cluster' },
    run: async ({ input, asker, channel }) => {
      const { cluster } = await whereOf(jobs, input.cluster, channel);
      const { plan, recipe, until, note, ...last } =
        input.number === undefined ? await lastEnded(jobs, cluster, channel) : await numbered(jobs, input.number);
      await places.canPost(channel);
      const record = await jobs.deploy({
        recipe,
        cluster: cluster ?? last.cluster,
        overrides: Object.fromEntries(Object.entries(plan.overrides).map(([key, value]) => [key, String(value)])),
        ...(until !== undefined && until > now().toISOString() && { until }),
        ...(note !== undefined && { note }),
        by: asker,
        surface: SURFACE,
        channel,
        view: askedIn(channel, asker),
      });
      const more = await beforeIt(jobs, record, { asker, now: now() });
      return { message: acceptedAnswer('Deploying', record, { card: channel, asked: channel, more }), about: record };
    },
  });
}

async function numbered(jobs: RetryJobs, number: number): Promise<Deployment> {
  const record = await jobs.findByNumber(number);
  if (record) return record;
  throw new OperatorError('unknown-name', `There is no deployment #${number}.`, { hint: 'history shows them.' });
}

/** Of the cluster that was named, or else of those that the channel is bound to. */
async function lastEnded(jobs: RetryJobs, cluster: string | undefined, channel: string): Promise<Deployment> {
  const bound = (await jobs.overview())
    .filter(({ channels }) => channels.includes(channel))
    .map((each) => each.cluster);
  const here = cluster === undefined ? bound : [cluster];
  const records = await jobs.history({ limit: LOOK_BACK });
  const last = records.find(
    (record) =>
      isEnded(record.state) && record.state !== 'serving' && (here.length === 0 || here.includes(record.cluster)),
  );
  if (last) return last;
  throw new OperatorError('unknown-name', 'No deployment has ended here, so there is none to repeat.', {
    hint: 'history shows them; retry takes a number.',
  });
}
