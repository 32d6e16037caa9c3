import { planIn } from '../plan-on-node.ts';
import type { Belonging, OnNode } from '../belonging.ts';
import type { NodeFacts } from './facts.ts';
import { shortId } from './image-check.ts';

/** A deployment that serves now, and whether it could be started again once it was stopped. */
export interface FoundServing {
  uid: string;
  number: number;
  recipe: string;
  /** `text`: by what it is proven, or what speaks against it. */
  wayBack: { proven: boolean; text: string };
}

/** A start writes its run folder and logs of at most 2 x 50 MB; with less, other things fail first. */
const FLOOR_BYTES = 2e9;

export interface WaysBackInput {
  serving: Belonging['serving'];
  /** The realm's containers on all nodes. */
  all: readonly OnNode[];
  /** By node; a node that could not be read has none. */
  facts: ReadonlyMap<string, NodeFacts>;
}

/** Judged from what is on the nodes alone: the very image of each container, the plan beside it, the driver, the disk. */
export function waysBack({ serving, all, facts }: WaysBackInput): FoundServing[] {
  return serving.map(({ uid, number, recipe }) => {
    const containers = all.filter(({ container }) => container.uid === uid);
    return { uid, number, recipe, wayBack: wayBack(containers, facts) };
  });
}

function wayBack(containers: readonly OnNode[], facts: ReadonlyMap<string, NodeFacts>): FoundServing['wayBack'] {
  const plan = planIn(containers.map(({ container }) => container));
  if (!plan) return { proven: false, text: 'nobody knows how it was started: its plan is not on the node' };
  const names = plan.nodes.map(({ name }) => name);
  const against = names.flatMap((name) => {
    const image = containers.find(({ node }) => node === name)?.container.image;
    return againstOn(name, image, facts.get(name));
  });
  if (against.length > 0) return { proven: false, text: against.join('; ') };
  const disks = names.flatMap((name) => facts.get(name)?.disks.map(({ freeBytes }) => freeBytes) ?? []);
  const images = [...new Set(containers.flatMap(({ container }) => container.image ?? []))].map(shortId);
  const text = `its plan is known, ${names.join(' and ')} ${names.length === 1 ? 'has' : 'have'} its image (${images.join(', ')}), a driver that works, and ${gigabytes(Math.min(...disks))} of disk`;
  return { proven: true, text };
}

function againstOn(name: string, image: string | undefined, facts: NodeFacts | undefined): string[] {
  if (!facts) return [`${name} could not be read`];
  const reasons: string[] = [];
  if (image === undefined) reasons.push(`${name} has no container of it, so nobody knows its image there`);
  else if (!facts.keptImages.includes(image)) reasons.push(`${name} no longer has its image (${shortId(image)})`);
  // A driver that was upgraded under the running model shows here: what runs lives on, and nothing new starts.
  if (facts.gpus.length === 0) {
    reasons.push(
      `the driver on ${name} does not work for a new start: ${facts.gpuProblem.at(-1) ?? 'nvidia-smi says nothing'}`,
    );
  }
  if (facts.disks.length === 0) reasons.push(`${name} does not say how full its disk is`);
  const full = facts.disks.find(({ freeBytes }) => freeBytes < FLOOR_BYTES);
  if (full) reasons.push(`${name} has only ${gigabytes(full.freeBytes)} of disk left at ${full.at}`);
  return reasons;
}

function gigabytes(bytes: number): string {
  return `${bytes < 10e9 ? (bytes / 1e9).toFixed(1) : Math.floor(bytes / 1e9)} GB`;
}
