import { planText } from '../cluster/plan-text.ts';
import type { Config } from '../config/config.ts';
import { resolveCluster } from '../config/resolve-cluster.ts';
import { OperatorError } from '../errors.ts';
import type { Deployment } from './deployment.ts';
import { diagnose } from './diagnose.ts';
import type { Jobs, Where } from './jobs.ts';
import type { Look } from './looks/look-queue.ts';
import { planFrom } from './prepare.ts';

export interface PlanLookParts extends Pick<Jobs, 'status' | 'logs'> {
  /** As it stands now: what would run. */
  config: () => Promise<Config>;
  /** As it was when it was last right: where to look. */
  lastConfig: () => Promise<Config>;
  look: Look;
  latest: (cluster: string) => Promise<Deployment | undefined>;
  now: () => Date;
}

/** Looks at what would run, and at what runs. */
export function openPlanLooks(parts: PlanLookParts): Pick<Jobs, 'plan' | 'check' | 'diagnose' | 'bench'> {
  const { config, lastConfig, look, latest } = parts;

  async function nameOf({ cluster, channel }: Where): Promise<string> {
    return resolveCluster(await lastConfig(), { name: cluster, channel }).name;
  }

  return {
    plan: async ({ recipe, cluster, channel, overrides }) => {
      const { plan, revision } = planFrom(await config(), { recipe, cluster, channel, overrides });
      return { plan, revision, text: planText(plan) };
    },

    check: async ({ recipe, ...where }) => {
      const cluster = await nameOf(where);
      const plan =
        recipe === undefined
          ? (await latest(cluster))?.plan
          : planFrom(await config(), { recipe, cluster, overrides: {} }).plan;
      if (!plan) {
        throw new OperatorError(
          'usage',
          `Nothing was ever deployed on ${cluster}, so I don't know what to check for.`,
          {
            hint: 'Name a recipe: check qwen35',
          },
        );
      }
      const answer = await look({ kind: 'check', plan });
      if (answer.kind !== 'check') throw new TypeError('A look at checks was answered with something else');
      return { cluster, recipe: plan.recipe, rows: answer.rows };
    },

    diagnose: async (where) => diagnose(parts, await nameOf(where)),

    bench: async (where) => {
      const cluster = await nameOf(where);
      const record = await latest(cluster);
      if (record?.state !== 'serving') {
        throw new OperatorError('unknown-name', `Nothing serves on ${cluster}, so there is nothing to measure.`, {
          hint: `See what is there: status ${cluster}`,
        });
      }
      const answer = await look({ kind: 'bench', plan: record.plan });
      if (answer.kind !== 'bench') throw new TypeError('A bench was answered with something else');
      return { record, runs: answer.runs };
    },
  };
}
