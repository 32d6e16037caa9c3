import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openNotices, type Notice, type Notices } from '../../src/jobs/notices.ts';
import { openBench, type Bench } from './support/bench.ts';

let bench: Bench;
let notices: Notices;

beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.stop());
beforeEach(async () => {
  await bench.store.redis.flushall();
  notices = openNotices(bench.store);
});

const notice = (change: Partial<Notice> = {}): Notice => ({
  id: 'one',
  due: new Date(Date.now() - 1_000).toISOString(),
  channel: 'C1',
  mention: [],
  body: { kind: 'said', lines: ['Something.'] },
  ...change,
});
const later = () => new Date(Date.now() + 60_000).toISOString();

test('what is due is given to one process, in the order of their times', async () => {
  const old = notice({ id: 'two', due: new Date(Date.now() - 5_000).toISOString() });
  await notices.tell(notice());
  await notices.tell(old);
  await notices.tell(notice({ id: 'three', due: later() }));
  const [here, there] = await Promise.all([notices.take(), openNotices(bench.store).take()]);
  expect([...(here ?? []), ...(there ?? [])].map((taken) => taken.notice)).toEqual([
    old,
    notice({ due: expect.any(String) }),
  ]);
  expect(await notices.take()).toEqual([]);
});

test('what was told is gone', async () => {
  await notices.tell(notice());
  for (const taken of await notices.take()) await taken.told();
  expect(await bench.store.redis.keys('*notice*')).toEqual([]);
});

test('a process that dies with one leaves it to the next, with what it had tried', async () => {
  await notices.tell(notice());
  const [first] = await notices.take();
  await first?.keepTries(1);
  // As if the minute of its lease were over.
  await bench.store.redis.zadd(bench.store.keys.notices, 0, 'one');
  expect(await notices.take()).toMatchObject([{ notice: { id: 'one' }, tries: 1 }]);
});

test('one that is told anew while it is being posted comes again', async () => {
  await notices.tell(notice());
  const [first] = await notices.take();
  await notices.tell(notice({ due: later() }));
  await first?.keepTries(1);
  await first?.told();
  expect(await notices.take()).toEqual([]);
  await bench.store.redis.zadd(bench.store.keys.notices, 0, 'one');
  expect(await notices.take()).toMatchObject([{ tries: 0 }]);
});

test('one that was withdrawn does not come', async () => {
  await notices.tell(notice());
  await notices.withdraw('one');
  expect(await notices.take()).toEqual([]);
});

test('who listens hears of one at once', async () => {
  const heard = new Promise<void>((resolve) => bench.changes.onNoticeDue(resolve));
  await notices.tell(notice());
  await heard;
  expect(await notices.take()).toHaveLength(1);
});
