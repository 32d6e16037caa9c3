import type { Button } from '@slack/types';
import type { Explanation } from '../../errors.ts';
import type { Deployment } from '../../jobs/deployment.ts';
import type { ClusterOverview } from '../../jobs/jobs.ts';
import type { ActionId } from '../buttons.ts';
import { SLASH } from '../grammar.ts';
import { refusal } from './answers.ts';
import { button } from './button.ts';
import { actions, fitting, type Message } from './message.ts';
import { plain, said } from './mrkdwn.ts';
import { subject } from './subject.ts';

/** Slack's limit for the elements of an actions block. */
const MOST = 25;
const LONGEST_VALUE = 2_000;

interface Choice {
  not: string | undefined;
  clusters: readonly ClusterOverview[];
  /** What would be typed for a cluster. */
  typed: (cluster: string) => string;
}

/** Several are possible, and none is guessed: one line and one button a cluster, with what runs there. */
export function whichCluster(explanation: Explanation, { not, clusters, typed }: Choice): Message {
  const shown = clusters.slice(0, MOST);
  const more = shown.map((cluster) => `\`${SLASH} ${said(typed(cluster.cluster))}\`  ${whatRuns(cluster)}`);
  const message = refusal(explanation, { not, more });
  const buttons = shown
    .map((cluster, at) => choice(`say-${at}`, cluster, typed(cluster.cluster)))
    .filter(({ value = '' }) => value.length <= LONGEST_VALUE);
  const withButtons = (some: readonly Button[]): Message =>
    some.length === 0 ? message : { ...message, blocks: [...message.blocks, actions(some)] };
  return fitting(
    () => withButtons(buttons),
    () => withButtons(buttons.slice(0, 5)),
    () => message,
  );
}

/** "serves qwen35 (#142)", "loads glm47 (#143)", "free" */
export function whatRuns({ busy, serving, storeProblem }: ClusterOverview): string {
  if (storeProblem !== undefined) return "can't be read now";
  if (busy) return `${verb(busy)} ${said(subject(busy), 60)} (#${busy.number})`;
  if (serving.length === 0) return 'free';
  return `serves ${serving.map(({ recipe, number }) => `${said(recipe, 60)} (#${number})`).join(', ')}`;
}

function verb({ run, state }: Deployment): string {
  const does = run === 'deploy' ? 'load' : 'stop';
  return state === 'waiting-approval' ? `waits for approval to ${does}` : `${does}s`;
}

function choice(action: ActionId, cluster: ClusterOverview, value: string): Button {
  return button({ action, text: `${cluster.cluster}: ${plain(whatRuns(cluster), 60)}`, value });
}
