import { setTimeout as delay } from 'node:timers/promises';
import { parseFlags } from './flags.ts';
import { askNodes, type RayNode } from './gcs.ts';
import type { Machine } from './machine.ts';
import { listeners } from './ports.ts';

const PAUSE_MS = 100;

/** What programs/ray-nodes.py does, with the pretend Ray: a line per change, and the same ends. */
export async function printRayNodes(machine: Machine, words: string[]): Promise<number> {
  process.stdin.resume();
  const flags = parseFlags(words);
  const expected = new Set((flags.get('expect') ?? '').split(','));
  const endsAt = performance.now() + Number(flags.get('limit')) * 1_000;
  let last = '';
  for (;;) {
    const nodes = await look(machine);
    const text = JSON.stringify(nodes);
    if (text !== last) process.stdout.write(`${text}\n`);
    last = text;
    if (settled(nodes, expected) || performance.now() >= endsAt) break;
    await delay(PAUSE_MS);
  }
  process.stdin.destroy();
  return 0;
}

async function look(machine: Machine): Promise<RayNode[]> {
  const gcs = listeners(machine.folder).find((one) => one.kind === 'gcs');
  const nodes = gcs && (await askNodes(gcs.real));
  if (!nodes) process.stderr.write('Could not find any running Ray instance.\n');
  return (nodes ?? []).toSorted((a, b) => (a.address < b.address ? -1 : 1));
}

function settled(nodes: readonly RayNode[], expected: ReadonlySet<string>): boolean {
  const alive = nodes.filter((node) => node.alive);
  if (alive.some((node) => !expected.has(node.address) || node.gpu < 1)) return true;
  return new Set(alive.map((node) => node.address)).size === expected.size;
}
