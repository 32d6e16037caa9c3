import { planScript } from '../cluster/plan-script.ts';
import { planText } from '../cluster/plan-text.ts';
import { readConfig } from '../config/load-config.ts';
import { resolveCluster } from '../config/resolve-cluster.ts';
import { OperatorError } from '../errors.ts';
import { planFrom } from '../jobs/prepare.ts';

export type PlanForm = 'text' | 'json' | 'script';

export interface PlanOptions {
  configFolder: string;
  /** RECIPE key=value ... */
  words: readonly string[];
  cluster: string | undefined;
  form: PlanForm;
  write: (text: string) => void;
}

/** Prints what a deploy would run, without touching a node. Returns the exit code. */
export async function planCommand({ configFolder, words, cluster, form, write }: PlanOptions): Promise<number> {
  const [recipe, ...pairs] = words;
  if (recipe === undefined)
    throw new OperatorError('usage', 'plan needs a recipe', { hint: 'For example: sparkops plan qwen35 --on spark' });

  const config = await readConfig(configFolder);
  const { plan, revision } = planFrom(config, { recipe, cluster, overrides: overridesOf(pairs) });
  switch (form) {
    case 'text':
      write(planText(plan));
      break;
    case 'json':
      write(JSON.stringify(plan, null, 2));
      break;
    case 'script':
      write(planScript(plan, resolveCluster(config, { name: plan.cluster }), revision));
      break;
  }
  return 0;
}

function overridesOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1)
        throw new OperatorError('usage', `Unexpected "${pair}"`, { hint: 'Overrides are written key=value.' });
      return [pair.slice(0, at), pair.slice(at + 1)] as const;
    }),
  );
}
