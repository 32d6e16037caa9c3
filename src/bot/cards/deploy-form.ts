import type { InputBlock, ModalView, PlainTextOption } from '@slack/types';
import { OperatorError } from '../../errors.ts';
import type { ClusterOverview, Jobs } from '../../jobs/jobs.ts';
import { plain } from './mrkdwn.ts';
import { whatRuns } from './which-cluster.ts';

export const DEPLOY_FORM = 'deploy';

/** Slack's limit for the options of a select. */
const MOST_OPTIONS = 100;

/** `deploy` alone: what can also be typed, as fields. Their blocks are named as the command's words. */
export function deployForm(
  clusters: readonly ClusterOverview[],
  recipes: Awaited<ReturnType<Jobs['recipes']>>,
  channel: string,
): ModalView {
  const bound = clusters.filter(({ channels }) => channels.includes(channel));
  const possible = bound.length > 0 ? bound : clusters;
  return {
    type: 'modal',
    callback_id: DEPLOY_FORM,
    private_metadata: channel,
    title: { type: 'plain_text', text: 'Deploy' },
    submit: { type: 'plain_text', text: 'Deploy' },
    close: { type: 'plain_text', text: 'Go back' },
    blocks: [
      select('cluster', 'Cluster', {
        names: clusters.map((each) => ({ name: each.cluster, about: plain(whatRuns(each), 60) })),
        ...(possible.length === 1 && possible[0] && { chosen: possible[0].cluster }),
      }),
      select('recipe', 'Recipe', {
        names: recipes.map(({ name, description }) => ({ name, about: description })),
        ...(recipes.length === 1 && recipes[0] && { chosen: recipes[0].name }),
      }),
      words('overrides', 'Overrides', 'max_model_len=8192 gpu_memory_utilization=0.8'),
      words('until', 'Until', '18:00, 2h or 2026-12-02'),
      words('note', 'Note', 'eval run'),
    ],
  };
}

interface Choices {
  names: readonly { name: string; about: string }[];
  chosen?: string;
}

function select(id: string, label: string, { names, chosen }: Choices): InputBlock {
  const options = names.slice(0, MOST_OPTIONS).map(({ name, about }): PlainTextOption => {
    const text = about === '' ? name : `${name}: ${about}`;
    return { text: { type: 'plain_text', text: plain(text, 75) }, value: name };
  });
  const initial = options.find(({ value }) => value === chosen);
  if (options.length === 0) {
    throw new OperatorError('config', `No ${id} is configured.`, { hint: 'sparkops validate says what is there.' });
  }
  return {
    type: 'input',
    block_id: id,
    label: { type: 'plain_text', text: label },
    element: { type: 'static_select', action_id: id, options, ...(initial && { initial_option: initial }) },
  };
}

function words(id: string, label: string, example: string): InputBlock {
  return {
    type: 'input',
    block_id: id,
    optional: true,
    label: { type: 'plain_text', text: label },
    element: {
      type: 'plain_text_input',
      action_id: id,
      max_length: id === 'note' ? 200 : 1_000,
      placeholder: { type: 'plain_text', text: example },
    },
  };
}
