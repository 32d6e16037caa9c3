import { randomInt } from 'node:crypto';
import { renderPlan } from '../cluster/engines/render-plan.ts';
import type { Plan } from '../cluster/plan.ts';
import { applyOverrides } from '../config/apply-overrides.ts';
import type { Config } from '../config/config.ts';
import { fillCommand } from '../config/fill-command.ts';
import { findRecipe } from '../config/find-recipe.ts';
import { resolveCluster } from '../config/resolve-cluster.ts';
import { requireSecrets, type SecretSource } from '../config/secret-sources.ts';

export interface PlanWords {
  recipe: string;
  cluster?: string | undefined;
  channel?: string | undefined;
  /** key=value as typed. */
  overrides: Readonly<Record<string, string>>;
  /** Given where the worker's secrets are at hand: a recipe whose secrets are missing is refused. */
  secrets?: SecretSource | undefined;
}

export interface Prepared {
  plan: Plan;
  revision: string;
}

/** Renders what a deploy would run. Touches no node. */
export function planFrom(config: Config, request: PlanWords): Prepared {
  const cluster = resolveCluster(config, { name: request.cluster, channel: request.channel });
  const recipe = findRecipe(config, request.recipe);
  const { values, overrides } = applyOverrides(recipe, cluster, request.overrides);
  if (request.secrets) requireSecrets(recipe, request.secrets);
  const plan = renderPlan({
    cluster,
    recipe,
    values,
    argv: fillCommand(recipe, values),
    overrides,
    uid: newUid(),
    realm: config.sparkops.name,
    timeouts: config.sparkops.timeouts,
  });
  return { plan, revision: config.revision };
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** 10 characters, the first a letter: it stands in names of containers and folders. */
export function newUid(): string {
  return Array.from({ length: 10 }, (_, at) => LETTERS[randomInt(at === 0 ? 26 : LETTERS.length)]).join('');
}
