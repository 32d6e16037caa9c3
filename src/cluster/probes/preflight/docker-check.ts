import { type Check, ok } from './check.ts';

export const dockerCheck: Check = {
  name: 'docker',
  judge: ({ facts: { docker }, node }) =>
    docker.problem.length === 0
      ? ok(`Docker ${docker.version}`)
      : {
          state: 'failed',
          short: `Docker on ${node.name} doesn't answer`,
          text: `Docker doesn't answer: ${docker.problem.at(-1) ?? 'no output'}`,
          remedy: `On ${node.name}, as the user sparkops logs in with: docker version`,
          lines: docker.problem.slice(-5),
        },
};
