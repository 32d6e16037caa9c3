import { expect, test } from 'vitest';
import { slots } from '../../../src/cluster/remote/slots.ts';

test('slots are given in order, and an aborted waiter takes none', async () => {
  const { signal } = new AbortController();
  const two = slots(2);
  const [first, second] = [await two.take(signal), await two.take(signal)];
  const order: string[] = [];
  const leaving = new AbortController();
  const left = two.take(leaving.signal);
  const third = two.take(signal).then((release) => (order.push('third'), release));
  const fourth = two.take(signal).then((release) => (order.push('fourth'), release));
  leaving.abort(new Error('enough'));
  await expect(left).rejects.toThrow('enough');
  first();
  first();
  await third;
  expect(order).toEqual(['third']);
  second();
  await fourth;
  expect(order).toEqual(['third', 'fourth']);
});
