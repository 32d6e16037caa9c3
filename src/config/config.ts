import type { Cluster } from './cluster-file.ts';
import type { Recipe } from './recipe-file.ts';
import type { SparkopsFile } from './sparkops-file.ts';

/** Everything below the configuration folder, read and checked. */
export interface Config {
  folder: string;
  sparkops: SparkopsFile;
  clusters: ReadonlyMap<string, Cluster>;
  recipes: ReadonlyMap<string, Recipe>;
  /** Recipes that are there but can't be used, and why. findRecipe refuses them with it. */
  brokenRecipes: ReadonlyMap<string, readonly Problem[]>;
  /** First 8 hex digits of the SHA-256 over all configuration files. */
  revision: string;
}

/** Something wrong in a configuration file. */
export interface Problem {
  /** Path below the configuration folder. */
  file: string;
  /** 1-based; undefined when it is the whole file. */
  line?: number;
  /** What is wrong. */
  wrong: string;
  /** What would be right. */
  right: string;
}
