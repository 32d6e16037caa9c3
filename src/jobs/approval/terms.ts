import type { ApprovalPolicy } from '../../config/approvals.ts';
import type { ApprovalTerms } from './approval.ts';

/** What a request keeps of the policy: later changes of the configuration do not change what people were asked. */
export function termsOf({ required, from, self, on_expiry, idle_limit, break_glass }: ApprovalPolicy): ApprovalTerms {
  return {
    required,
    from,
    self,
    onExpiry: on_expiry,
    idleMs: idle_limit,
    ...(break_glass && { breakGlass: { afterMs: break_glass.after, right: break_glass.rights } }),
  };
}
