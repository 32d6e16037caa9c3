import { z } from 'zod';
import { Duration } from './duration.ts';
import { readWho, RIGHTS, type Right } from './rights.ts';

export const APPROVAL_ACTIONS = ['deploy', 'restart', 'stop', 'rollback', 'cancel', 'stop-foreign'] as const;
type ApprovalAction = (typeof APPROVAL_ACTIONS)[number];

const Decider = z
  .string()
  .refine(
    decides,
    'must be operator, approver or admin, a user id such as U0123ABCD, or a user group such as S0123ABCD',
  );

const BreakGlass = z.union([z.literal(false), z.strictObject({ after: Duration, rights: z.enum(RIGHTS) })], {
  error: 'must be { after: 10m, rights: operator }, or false',
});

const fields = {
  /** How many people. */
  required: z.int().min(1).max(10).optional(),
  from: z.array(Decider).min(1).optional(),
  /** Whether who asks may decide. */
  self: z.boolean().optional(),
  expires: Duration.optional(),
  on_expiry: z.enum(['drop', 'proceed']).optional(),
  /** How long an approval "when idle" waits for that. */
  idle_limit: Duration.optional(),
  /** Who may decide alone, with a reason, after so long; false takes away what a wider rule allows. */
  break_glass: BreakGlass.optional(),
};
const Terms = z.strictObject(fields);
type Terms = z.infer<typeof Terms>;

const Actions = z
  .strictObject({ deploy: Terms, restart: Terms, stop: Terms, rollback: Terms, cancel: Terms, 'stop-foreign': Terms })
  .partial();

/** How approvals are given; what is left out has the value of DEFAULTS. */
export const Approvals = z.strictObject({
  ...fields,
  actions: Actions.default({}),
  clusters: z
    .record(
      z.string(),
      z.strictObject({ ...fields, protected: z.boolean().default(false), actions: Actions.default({}) }),
    )
    .default({}),
});
export type Approvals = z.infer<typeof Approvals>;

/** How one action on one cluster is approved. Times in milliseconds. */
export interface ApprovalPolicy {
  required: number;
  /** Rights, users and user groups, as they are written. */
  from: readonly string[];
  self: boolean;
  expires: number;
  on_expiry: 'drop' | 'proceed';
  idle_limit: number;
  break_glass?: { after: number; rights: Right };
  /** Asks even when nothing is interrupted. */
  protected: boolean;
}

const DEFAULTS = {
  required: 1,
  from: ['approver'],
  self: false,
  expires: 30 * 60_000,
  on_expiry: 'drop',
  idle_limit: 8 * 3_600_000,
} as const;

/** What is written nearest to the action and the cluster wins, field by field: cluster's action, cluster, action, all. */
export function policyFor(
  { approvals }: { approvals: Approvals },
  { action, cluster }: { action: ApprovalAction; cluster: string },
): ApprovalPolicy {
  const here = Object.hasOwn(approvals.clusters, cluster) ? approvals.clusters[cluster] : undefined;
  const layers: readonly (Terms | undefined)[] = [here?.actions[action], here, approvals.actions[action], approvals];
  function field<Key extends keyof Terms>(key: Key): Terms[Key] {
    return layers.find((layer) => layer?.[key] !== undefined)?.[key];
  }
  const glass = field('break_glass');
  return {
    required: field('required') ?? DEFAULTS.required,
    from: field('from') ?? DEFAULTS.from,
    self: field('self') ?? DEFAULTS.self,
    expires: field('expires') ?? DEFAULTS.expires,
    on_expiry: field('on_expiry') ?? DEFAULTS.on_expiry,
    idle_limit: field('idle_limit') ?? DEFAULTS.idle_limit,
    ...(glass && { break_glass: glass }),
    protected: here?.protected ?? false,
  };
}

/** `everyone` and viewers look; they decide nothing. */
function decides(name: string): boolean {
  if (name === 'operator' || name === 'approver' || name === 'admin') return true;
  const who = readWho(name);
  return who !== undefined && who.kind !== 'everyone';
}
