import { API_KEY_VARIABLE, engineHttp } from '../../cluster/probes/engine-http.ts';
import { smokeTest } from '../../cluster/probes/smoke-test.ts';
import { OperatorError } from '../../errors.ts';
import { durationText } from '../duration-text.ts';
import { beforeLimit } from './before-limit.ts';
import { endedFinding, endOf } from './engine-end.ts';
import { ownContainer } from './look-around.ts';
import type { Phase, PhaseContext, Verdict } from './phase.ts';

/** A real question with a known answer: what answers health checks may still write nonsense. */
export const smoke: Phase = {
  name: 'smoke',

  async look(ctx) {
    const { machines, plan, signal, secret } = ctx;
    const [head] = machines;
    const keyName = head.node.secrets[API_KEY_VARIABLE];
    const apiKey = keyName === undefined ? undefined : secret(keyName);
    const { uid, servedName } = plan;
    const limitMs = beforeLimit(ctx);
    try {
      const result = await smokeTest(engineHttp(head, plan), {
        uid,
        servedName,
        node: head.node.name,
        signal,
        limitMs,
        ...(apiKey && { apiKey }),
      });
      if (!result.ok) return { state: 'blocked', finding: result.finding };
      const { ttftMs, tokensPerSecond } = result;
      await ctx.keep({ endpoint: plan.endpoint, smoke: { ttftMs, tokensPerSecond } });
      return {
        state: 'done',
        saw: `right answer, first token ${durationText(ttftMs)}, ${tokensPerSecond} tok/s`,
      };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof OperatorError)) throw error;
      return unanswered(ctx, error);
    }
  },
};

/** Some engines die of their first request. */
async function unanswered(ctx: PhaseContext, error: OperatorError): Promise<Verdict> {
  const own = await ownContainer(ctx.machines[0], ctx.plan);
  if (!own?.running || own.engine === 'none') {
    return { state: 'blocked', finding: await endedFinding(ctx, endOf(own), { stage: 'smoke' }) };
  }
  throw error;
}
