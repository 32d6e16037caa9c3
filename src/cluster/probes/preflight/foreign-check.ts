import { foreignText, foreignWord } from '../foreign-text.ts';
import { type Check, type Judgement, ok } from './check.ts';

/** What others run here would take the memory or the port from the model, or lose its own to it. */
export const foreignCheck: Check = {
  name: 'foreign',
  judge({ facts: { docker, others }, forced, node, plan }) {
    if (docker.problem.length > 0) return undefined;
    const { problem, gpuProblem } = others;
    const foreign = others.foreign.filter(({ tolerated }) => !tolerated);
    const [first, ...more] = foreign;
    if (problem !== undefined) {
      return passed(forced.has('foreign'), {
        state: 'failed',
        short: `${node.name} can't say what others run`,
        text: `what others run can't be told: ${problem}`,
        remedy: `On ${node.name}: docker ps, and docker inspect of what it lists`,
      });
    }
    if (first) {
      const words = [...new Set(foreign.map(foreignWord))];
      return passed(forced.has('foreign'), {
        state: 'failed',
        short: `${first.name} runs on ${node.name}${more.length === 0 ? '' : `, ${more.length} more`}`,
        text: `not started by this sparkops: ${foreign.map(foreignText).join('; ')}`,
        remedy: [
          `Ask whose it is (status ${plan.cluster} tells, if they said so), or`,
          words.map((word) => `stop-foreign ${word} on ${plan.cluster}`).join(', '),
          'or, by an admin, force foreign reason: ...',
        ].join(' '),
      });
    }
    if (gpuProblem !== undefined)
      return { state: 'warning', text: `what computes on the GPU can't be told: ${gpuProblem}` };
    const tolerated = others.foreign.filter((each) => each.tolerated).map(({ name }) => name);
    return ok(
      tolerated.length === 0 ? 'nothing that others started' : `only what is tolerated: ${tolerated.join(', ')}`,
    );
  },
};

function passed(isForced: boolean, row: Judgement): Judgement {
  return isForced ? { state: 'warning', text: `forced: ${row.text}` } : row;
}
