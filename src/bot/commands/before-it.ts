import type { Deployment } from '../../jobs/deployment.ts';
import { isSame } from '../../jobs/deployment.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { person, said } from '../cards/mrkdwn.ts';
import { untilAndNote } from '../cards/ownership.ts';
import type { Caller } from '../command.ts';

/**
 * What the asker should know of what serves now: whose it is, and that people are asked before it is interrupted. Lines of
 * mrkdwn; none where nothing serves, or the store is away.
 */
export async function beforeIt(
  jobs: Pick<Jobs, 'overview'>,
  record: Deployment,
  { asker, now }: Pick<Caller, 'asker'> & { now: Date },
): Promise<readonly string[]> {
  const serving = record.run === 'stop' ? [record] : await othersOn(jobs, record);
  const needed = serving.filter(({ until }) => until === undefined || until > now.toISOString());
  const owned = needed.filter(({ owner, by, until }) => until !== undefined && !isSame(owner ?? by, asker));
  const asks = record.action === 'restart' ? 'Unless it is down or wedged, I ask' : 'I ask';
  return [
    ...owned.map(
      (each) =>
        `Please ask ${person((each.owner ?? each.by).user)} first: ${said(each.recipe, 60)} (#${each.number}) is theirs ${untilAndNote(each).join(', ')}.`,
    ),
    ...(needed.length > 0 ? [`${asks} for approval before ${named(needed)} is interrupted.`] : []),
  ];
}

async function othersOn(jobs: Pick<Jobs, 'overview'>, { cluster, uid }: Deployment): Promise<readonly Deployment[]> {
  const all = await jobs.overview().catch(() => []);
  return all
    .filter((each) => each.cluster === cluster)
    .flatMap(({ serving }) => serving.filter((one) => one.uid !== uid));
}

function named(serving: readonly Deployment[]): string {
  return serving.map(({ recipe, number }) => `${said(recipe, 60)} (#${number})`).join(' and ');
}
