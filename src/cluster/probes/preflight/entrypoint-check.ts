import { type Check, ok } from './check.ts';

/** An entrypoint of the image's own would take our command for its arguments. */
export const entrypointCheck: Check = {
  name: 'entrypoint',
  judge({ facts: { image } }) {
    if (!image) return undefined;
    const { entrypoint, command } = image;
    if (entrypoint.length === 0) return ok('none in the image');
    const then = command.length > 0 ? `, then ${command.join(' ')}` : '';
    return {
      state: 'warning',
      text: `the image's own (${entrypoint.join(' ')}${then}) is passed over: ray is started instead`,
      remedy: 'If the image needs what its entrypoint does, put it into an image of your own.',
    };
  },
};
