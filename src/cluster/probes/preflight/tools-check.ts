import { type Check, ok } from './check.ts';

export const toolsCheck: Check = {
  name: 'tools',
  judge: ({ facts: { missingTools }, node }) =>
    missingTools.length === 0
      ? ok('flock, timeout and setsid are there')
      : {
          state: 'failed',
          short: `${node.name} lacks ${missingTools.join(', ')}`,
          text: `${missingTools.join(', ')} missing: changes can't be guarded`,
          remedy: `On ${node.name} install util-linux and coreutils.`,
        },
};
