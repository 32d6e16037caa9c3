import { afterEach, expect, it } from 'vitest';
import { answers, cards, eventually, type Place, running, say, startPlace, threadText } from '../support/place.ts';

let place: Place;
afterEach(async () => {
  expect(place.slack.violations).toEqual([]);
  await place.stop();
});

async function servesOnce(): Promise<void> {
  const record = await place.ended(1, 60_000);
  expect(record.state, record.cause?.text).toBe('serving');
  expect(place.sparks.starts('spark1')).toEqual({ [`sparkops-${record.uid}-spark1`]: 1, engine: 1 });
  expect(running(place).spark2).toEqual([`sparkops-${record.uid}-spark2`]);
  expect(cards(place)).toHaveLength(1);
  expect(threadText(place).match(/spark UP/g)).toHaveLength(1);
}

it('goes on when SSH connections are cut in a command, and when sshd is away while it loads', async () => {
  place = await startPlace({ loadSeconds: 6 });
  const { log } = await place.product();
  const checks = place.sparks.hold('spark1', /^sh -s -- demo \S+ \S*vllm/);
  const starting = place.sparks.hold('spark1', /docker run/);
  await say(place, '/spark deploy qwen35');
  for (const hold of [checks, starting]) {
    await hold.reached;
    await place.sparks.kill('spark1', 'connections');
    hold.release();
  }
  await eventually('it loads', 30_000, async () => (await place.record(1))?.progress !== undefined);
  await place.sparks.kill('spark1', 'sshd');
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  await place.sparks.startSshd('spark1');
  await servesOnce();
  expect(log.filter(({ msg }) => msg.startsWith('The SSH connection to spark1')).length).toBeGreaterThanOrEqual(3);
}, 90_000);

it('says within 2 s that Redis is silent, still answers status, and goes on after Redis was killed', async () => {
  place = await startPlace({ loadSeconds: 6 });
  await place.product();
  await say(place, '/spark deploy qwen35');
  await eventually('it loads', 30_000, async () => (await place.record(1))?.phase === 'load');

  place.redis.pause();
  const asked = performance.now();
  await say(place, '/spark deploy qwen35');
  await place.slack.until(() => answers(place).length === 2, 10_000);
  expect(performance.now() - asked).toBeLessThan(2_000);
  expect(answers(place)[1]).toContain('The store (Redis) does not answer');
  await say(place, '/spark status');
  await place.slack.until(() => answers(place).length === 3, 20_000);
  expect(answers(place)[2]).toContain('spark1');

  await place.redis.kill();
  await place.redis.startAgain();
  await servesOnce();
  expect(await place.record(2)).toBeUndefined();
}, 90_000);
