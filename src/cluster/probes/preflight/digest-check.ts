import { type Check, ok } from './check.ts';
import type { ImageFacts } from './facts.ts';
import { shortId } from './image-check.ts';

/** Workers against the head: other versions of Ray or vLLM inside would show only minutes later, and unclearly. */
export const digestCheck: Check = {
  name: 'same image',
  judge({ facts: { image }, head, plan, node }) {
    if (!image || !head?.image) return undefined;
    const headName = plan.nodes[0].name;
    if (sameImage(image, head.image)) return ok(`the same as on ${headName}`);
    const text = `${shortId(image.id)} here, ${shortId(head.image.id)} on ${headName}`;
    const built = image.repoDigests.length === 0 && head.image.repoDigests.length === 0;
    return built
      ? {
          state: 'warning',
          text: `${text}: both were built where they are, so they may differ inside`,
          remedy: `Copy one to the other: on ${headName}, docker save ${plan.image} | ssh ${node.fabric.address} docker load`,
        }
      : {
          state: 'failed',
          short: `${node.name} has another image than ${headName}`,
          text,
          remedy: `On ${node.name} and ${headName}: docker pull ${plan.image}`,
        };
  },
};

function sameImage(one: ImageFacts, other: ImageFacts): boolean {
  return one.id === other.id || one.repoDigests.some((digest) => other.repoDigests.includes(digest));
}
