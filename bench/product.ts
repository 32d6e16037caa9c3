import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from '../src/jobs/deployment.ts';
import { OPERATOR, OPS_CHANNEL } from '../src/local/slack/people.ts';
import { onHost } from '../test/lab/support/lab.ts';
import { startLabPlace } from '../test/lab/support/lab-place.ts';
import { approve, answers, eventually, say } from '../test/support/place.ts';
import { type DeployTime, engineMs } from './deploy-time.ts';

const LIMIT_MS = 150_000;

export interface Product {
  /** From the command to the record that says it serves. It stays up until `stop`. */
  deploy: () => Promise<DeployTime>;
  stop: () => Promise<void>;
  /** Milliseconds from `/spark status` to its answer. */
  status: () => Promise<number>;
  /** Milliseconds until each of `count` commands, sent at once, was acknowledged. */
  acknowledgements: (count: number) => Promise<number[]>;
  close: () => Promise<void>;
}

/** Bot and worker in one process, as a person starts it, with the configuration's own times. */
export async function openProduct(): Promise<Product> {
  const place = await startLabPlace({
    env: { LAB_LOADS_NOTHING: '1' },
    timeouts: { lease: '30s', job_lock: '30s', stall_check: '5s', reconcile: '15s' },
  });
  await place.product();
  let number = 0;

  async function until(state: Deployment['state']): Promise<Deployment> {
    return await eventually(`#${number} is ${state}`, LIMIT_MS, async () => {
      const record = await place.record(number);
      if (record?.state === 'failed') throw new Error(`#${number} failed: ${record.cause?.text}`);
      return record?.state === state ? record : undefined;
    });
  }

  return {
    async deploy() {
      number += 1;
      await say(place, '/spark deploy qwen35');
      const record = await until('serving');
      const log = await onHost('spark1', `cat ${record.plan.nodes[0].paths.run}/serve.log`);
      return {
        all: between(record.createdAt, record.endedAt),
        engine: engineMs(log),
        steps: record.phases.map(({ name, startedAt, endedAt }) => ({ name, ms: between(startedAt, endedAt) })),
      };
    },
    async stop() {
      await say(place, '/spark stop');
      await approve(place, number);
      await until('stopped');
    },
    async status() {
      const before = answers(place).length;
      const began = performance.now();
      await say(place, '/spark status');
      await place.slack.until(() => answers(place).length > before || undefined, 10_000);
      const ms = performance.now() - began;
      // Nothing that was read a moment ago may answer.
      await sleep(2_500);
      return ms;
    },
    async acknowledgements(count) {
      const said = await Promise.all(
        Array.from({ length: count }, () => place.slack.say(OPERATOR, OPS_CHANNEL, '/spark help')),
      );
      return said.map(({ delivery }) => delivery?.ackMs ?? Infinity);
    },
    close: place.stop,
  };
}

function between(from: string | undefined, to: string | undefined): number {
  return Date.parse(to ?? '') - Date.parse(from ?? '');
}
