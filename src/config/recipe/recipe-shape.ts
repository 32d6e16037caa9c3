import { z } from 'zod';

/** Keys that other launchers act on and sparkops doesn't; a recipe with them still serves the same model with the same command. */
export const UNUSED: readonly string[] = [
  'model_revision',
  'build_args',
  'builder',
  'builder_config',
  'executor',
  'executor_config',
  'scheduler',
  'runtime_config',
  'runtime_cache',
  'cluster_config',
  'distribution_config',
  'readiness',
  'capabilities',
  'unsupported_capabilities',
];

/** Keys without which a recipe would be another one, and why sparkops doesn't follow them. */
export const REFUSED: Readonly<Record<string, { wrong: string; right: string }>> = {
  include: { wrong: 'include reads another recipe', right: 'Copy what is needed into this file' },
  overrides: { wrong: 'overrides changes another recipe', right: 'Write the values below defaults' },
  layout: {
    wrong: 'layout says which node does what',
    right: "Remove it: the cluster's file says which node is the head",
  },
  containers: { wrong: 'containers names several images', right: 'Name one as container' },
  pre_exec: {
    wrong: 'pre_exec is not built yet: its commands would have to run in every container before the model is served',
    right: 'Build them into the image',
  },
  post_exec: {
    wrong: 'post_exec is refused: commands after the start are not covered by the plan that people approve',
    right: 'Remove it, and run them yourself once the model serves',
  },
  post_commands: {
    wrong: "post_commands is refused: it runs shell commands on the bot's own machine",
    right: 'Remove it, and run them yourself once the model serves',
  },
  stop_after_post: { wrong: 'stop_after_post stops the model after post_commands', right: 'Remove it' },
};

const Count = z.int().min(1).max(64);
const free = () => z.unknown().optional();

/** The keys of sparkrun v2 and eugr v1. What `free` holds is read by functions of its own. */
export const RecipeShape = z.strictObject({
  recipe_version: z
    .union([z.literal(['1', '2']), z.literal([1, 2])], { error: 'must be "2" (sparkrun) or "1" (eugr)' })
    .optional(),
  sparkrun_version: z.union([z.string(), z.number()], { error: 'must be "2"' }).optional(),
  name: z.string().optional(),
  description: z.string().optional(),
  model: z
    .string()
    .regex(
      /^(?!(?:.*\/)?\.\.(?:\/|$))[A-Za-z0-9/][\w./:@+-]{0,200}$/,
      'must be a model such as Qwen/Qwen3.5-122B-A10B-FP8',
    )
    .optional(),
  runtime: z.string().optional(),
  runtime_version: free(),
  mode: z.enum(['auto', 'solo', 'cluster']).optional(),
  min_nodes: Count.optional(),
  max_nodes: Count.nullish(),
  solo_only: z.boolean().optional(),
  cluster_only: z.boolean().optional(),
  container: z
    .string()
    .regex(
      /^(?!(?:.*\/)?\.\.(?:\/|$))[A-Za-z0-9][\w./:@-]{0,250}$/,
      'must be an image such as hellohal2064/vllm-qwen3.5-gb10',
    )
    .optional(),
  defaults: free(),
  env: free(),
  command: z.string().nullish(),
  mods: z.array(z.string()).nullish(),
  benchmark: free(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  ...Object.fromEntries([...UNUSED, ...Object.keys(REFUSED)].map((key) => [key, free()])),
});
