import type { ClusterOverview, Jobs } from '../../jobs/jobs.ts';
import { SLASH } from '../grammar.ts';
import { plainAnswer } from './answers.ts';
import type { Message } from './message.ts';
import { said } from './mrkdwn.ts';
import { whatRuns } from './which-cluster.ts';

type Recipes = Awaited<ReturnType<Jobs['recipes']>>;

const MOST = 40;

export function recipesAnswer(recipes: Recipes, clusters: readonly ClusterOverview[]): Message {
  if (recipes.length === 0) return plainAnswer(['No recipe is configured.']);
  const lines = recipes.slice(0, MOST).map(({ name, description }) => {
    const where = clusters.filter(({ serving }) => serving.some(({ recipe }) => recipe === name));
    const served = where.length === 0 ? '' : `  (serves on ${where.map(({ cluster }) => cluster).join(', ')})`;
    return `\`${said(name, 60)}\`  ${said(description, 120)}${served}`;
  });
  const hidden = recipes.length - lines.length;
  return plainAnswer([
    `${recipes.length} ${recipes.length === 1 ? 'recipe' : 'recipes'}. What one would run: \`${SLASH} plan NAME\``,
    ...lines,
    ...(hidden > 0 ? [`And ${hidden} more.`] : []),
  ]);
}

export function clustersAnswer(clusters: readonly ClusterOverview[]): Message {
  if (clusters.length === 0) return plainAnswer(['No cluster is configured.']);
  return plainAnswer([
    `${clusters.length} ${clusters.length === 1 ? 'cluster' : 'clusters'}, by the record. A look at the nodes: \`${SLASH} status\``,
    ...clusters.slice(0, MOST).map((cluster) => {
      const { cluster: name, description, nodeNames, channels } = cluster;
      const bound = channels.length === 0 ? '' : `; commands in ${channels.map((id) => `<#${id}>`).join(', ')} mean it`;
      const about = description === '' ? '' : `, ${said(description, 120)}`;
      return `${name} (${said(nodeNames.join(', '), 120)})${about}: ${whatRuns(cluster)}${bound}`;
    }),
  ]);
}
