import type { Deployment } from '../../jobs/deployment.ts';
import { said } from './mrkdwn.ts';

/** What a run is about: a recipe, or what others started by hand. */
export function subject({ run, recipe, foreign }: Pick<Deployment, 'run' | 'recipe' | 'foreign'>): string {
  if (run !== 'stop-foreign') return recipe;
  const names = [...new Set((foreign ?? []).map(({ name }) => name))];
  return said(names.join(', ') || 'what I did not start', 80);
}
