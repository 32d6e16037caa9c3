import { type Check, ok } from './check.ts';

export const imageCheck: Check = {
  name: 'image',
  judge({ facts: { image, docker }, plan, node }) {
    if (docker.problem.length > 0) return undefined;
    if (image) return ok(`${plan.image}, ${shortId(image.id)}`);
    return {
      state: 'failed',
      short: `${node.name} lacks the image`,
      text: `${plan.image} is not on this node`,
      remedy: `On ${node.name}: docker pull ${plan.image}`,
    };
  },
};

/** sha256:0123456789ab... -> 0123456789ab, as `docker images` shows it. */
export function shortId(digest: string): string {
  return digest.replace(/^.*sha256:/, '').slice(0, 12);
}
