import { planText } from '../cluster/plan-text.ts';
import { OperatorError } from '../errors.ts';
import { preparePlan } from '../jobs/prepare.ts';

export interface PlanOptions {
  configFolder: string;
  /** RECIPE key=value ... */
  words: readonly string[];
  cluster: string | undefined;
  json: boolean;
  write: (text: string) => void;
}

/** Prints what a deploy would run, without touching a node. Returns the exit code. */
export async function planCommand({ configFolder, words, cluster, json, write }: PlanOptions): Promise<number> {
  const [recipe, ...pairs] = words;
  if (recipe === undefined)
    throw new OperatorError('usage', 'plan needs a recipe', { hint: 'For example: sparkops plan qwen35 --on spark' });

  const { plan } = await preparePlan({ configFolder, recipe, cluster, overrides: overridesOf(pairs) });
  write(json ? JSON.stringify(plan, null, 2) : planText(plan));
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
