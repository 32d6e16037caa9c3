import { type Check, ok } from './check.ts';

export const programsCheck: Check = {
  name: 'programs',
  judge({ facts: { image }, programs, plan, node }) {
    if (!image || !programs) return undefined;
    switch (programs.state) {
      case 'unknown':
        return { state: 'warning', text: `could not be looked for: ${programs.why}` };
      case 'not-started':
        return {
          state: 'failed',
          short: programs.short ?? `${node.name}: the image doesn't start`,
          text: `no container of ${plan.image} can be started: ${programs.reason}`,
          remedy: `On ${node.name}: docker run --rm --entrypoint sh ${plan.image} -c true`,
        };
      case 'looked': {
        const { missing, wanted } = programs;
        if (missing.length === 0) return ok(`the image has ${listed(wanted)}`);
        const text = `the image has no program ${listed(missing)}`;
        return {
          state: 'failed',
          short: text,
          text,
          remedy: `Name an image with Ray and vLLM as container of recipes/${plan.recipe}.yaml, or fetch it again: docker pull ${plan.image}`,
        };
      }
    }
  },
};

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
