import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { ADMIN } from '../../../src/local/slack/people.ts';
import { answers, eventually, type Place, say } from '../../support/place.ts';
import { unwedge } from '../../support/wedge.ts';

export async function approvals(place: Place, policy: object): Promise<void> {
  const file = join(place.configFolder, 'sparkops.yaml');
  await writeFile(file, stringify({ ...parse(await readFile(file, 'utf8')), approvals: policy }));
}

/** The Operator's model serves. */
export async function served(place: Place): Promise<void> {
  await place.product();
  await say(place, '/spark deploy qwen35');
  const record = await place.ended(1);
  if (record.state !== 'serving') throw new Error(`#1 is ${record.state}: ${record.cause?.text}`);
}

/** The Admin wants it stopped, or replaced: `number` waits for people. */
export async function waiting(place: Place, text: string, number: number, person = ADMIN): Promise<void> {
  const answer = await said(place, text, person);
  await eventually(`#${number} waits, after: ${answer}`, 30_000, async () => {
    const record = await place.record(number);
    if (record?.state === 'failed') throw new Error(`#${number} failed: ${record.cause?.text}`);
    return record?.state === 'waiting-approval';
  });
}

export async function said(place: Place, text: string, person: string): Promise<string> {
  const before = answers(place, person).length;
  await say(place, text, person);
  return eventually('it is answered', 15_000, () => answers(place, person)[before]);
}

/** Everybody in the channel is told of a hold, so nobody is answered alone. */
export async function held(place: Place, text: string, person: string, stands: boolean): Promise<void> {
  const { redis, keys } = place.store;
  await say(place, text, person);
  await eventually(`${text} is done`, 15_000, async () => {
    return (await redis.exists(keys.hold('spark'), keys.freeze)) === (stands ? 1 : 0);
  });
}

export async function becomes(place: Place, number: number, state: string, limitMs = 30_000): Promise<void> {
  await eventually(`#${number} is ${state}`, limitMs, async () => (await place.record(number))?.state === state);
}

/** A request that the engine never answers. */
export async function askForever(place: Place): Promise<void> {
  await place.sparks.inject('wedged');
  const body = JSON.stringify({ model: 'qwen35', messages: [{ role: 'user', content: 'Hello' }], stream: true });
  void fetch(`${place.sparks.engineUrl()}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    // It hangs until its engine ends, or this limit.
    signal: AbortSignal.timeout(90_000),
  }).catch(() => undefined);
  await eventually('the engine works on it', 5_000, async () => {
    const metrics = await fetch(`${place.sparks.engineUrl()}/metrics`);
    return /num_requests_running\{[^}]*\} 1/.test(await metrics.text());
  });
}

/** The engine answers again. */
export function recover(place: Place): void {
  unwedge(place.sparks.clusterFile().nodes[0]?.paths?.state ?? '');
}
