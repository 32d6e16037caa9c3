import { afterEach, expect, it } from 'vitest';
import {
  cards,
  eventually,
  type Place,
  refusals,
  running,
  say,
  SHORT_LIVES,
  startPlace,
  threadText,
} from '../support/place.ts';

let place: Place;
afterEach(() => place.stop());

it.each([
  ['start-head', 'spark1', /docker run/],
  ['serve', 'spark1', /start-serve/],
] as const)(
  'a process that was frozen past its lease in %s is refused by the node when it wakes',
  { timeout: 90_000 },
  async (_phase, node, command) => {
    place = await startPlace({ timeouts: SHORT_LIVES });
    const first = await place.product();
    const hold = place.sparks.hold(node, command);
    await say(place, '/spark deploy qwen35');
    await hold.reached;
    process.kill(first.pid, 'SIGSTOP');
    const second = await place.product();
    await eventually('the other one runs it', 30_000, () =>
      second.log.some(({ msg }) => msg === 'This process runs the deployment'),
    );
    await eventually('its fence stands', 10_000, () => place.sparks.starts('spark1')['engine'] === 1);
    hold.release();
    await eventually('the node refuses', 10_000, () => refusals(place, node).length > 0);
    process.kill(first.pid, 'SIGCONT');

    const record = await place.ended(1);
    expect(record.state, record.cause?.text).toBe('serving');
    expect(refusals(place, node)).toEqual([expect.stringMatching(command)]);
    await eventually('the frozen one has stopped', 10_000, () =>
      first.log.some(({ msg }) => msg === 'Another process acts for this deployment now; nothing is undone here'),
    );
    expect(running(place)).toEqual({
      spark1: [`sparkops-${record.uid}-spark1`],
      spark2: [`sparkops-${record.uid}-spark2`],
    });
    expect(place.sparks.starts('spark1')).toEqual({ [`sparkops-${record.uid}-spark1`]: 1, engine: 1 });
    expect(cards(place)).toHaveLength(1);
    expect(threadText(place).match(/spark UP/g)).toHaveLength(1);
    expect(place.slack.violations).toEqual([]);
  },
);
