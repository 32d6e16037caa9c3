import type { Cluster } from '../../config/cluster-file.ts';
import type { Recipe, Value } from '../../config/recipe-file.ts';
import type { Timeouts } from '../../config/sparkops-file.ts';

export interface PlanRequest {
  cluster: Cluster;
  recipe: Recipe;
  /** The recipe's defaults with the overrides in them. */
  values: Readonly<Record<string, Value>>;
  /** The recipe's command, placeholders filled. */
  argv: readonly [string, ...string[]];
  overrides: Readonly<Record<string, Value>>;
  uid: string;
  realm: string;
  timeouts: Timeouts;
}
