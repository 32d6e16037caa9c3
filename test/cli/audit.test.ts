import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pino } from 'pino';
import { audit } from '../../src/cli/audit.ts';
import { openAudit } from '../../src/jobs/audit.ts';
import { openStore } from '../../src/jobs/store.ts';
import { configFolder } from '../config/folder.ts';
import { testRedis, type TestRedis } from '../support/redis.ts';

let redis: TestRedis;
const who = { team: '', user: 'U0OPERATOR1', name: 'operator' };

beforeAll(async () => {
  redis = await testRedis();
  const client = new Redis(redis.url);
  const log = openAudit({
    store: openStore('sparks', client),
    now: () => new Date('2026-12-01T14:02:30Z'),
    log: pino({ level: 'silent' }),
  });
  log.write({ who, what: 'hold spark eval run', cluster: 'spark', decision: 'accepted' });
  log.write({ who, what: 'stop spark', decision: 'refused', why: 'Not stopped: spark is held.', surface: 'slack' });
  const sparkops = { team: '', user: 'sparkops', name: 'sparkops' };
  log.write({
    who: sparkops,
    what: 'deploy of qwen35',
    cluster: 'spark',
    number: 142,
    decision: 'ended',
    result: 'serving',
  });
  await log.settled();
  client.disconnect();
});
afterAll(() => redis.stop());

async function output(change: Partial<Parameters<typeof audit>[0]> = {}): Promise<string[]> {
  const lines: string[] = [];
  const code = await audit({
    configFolder: await configFolder({ 'sparkops.yaml': 'name: sparks\n' }),
    redisUrl: redis.url,
    json: false,
    since: undefined,
    cluster: undefined,
    by: undefined,
    now: new Date(),
    write: (text) => void lines.push(text),
    ...change,
  });
  expect(code).toBe(0);
  return lines;
}

test('for people', async () => {
  expect(await output()).toEqual([
    '2026-12-01 14:02:30Z  operator (U0OPERATOR1) on spark: hold spark eval run: accepted',
    '2026-12-01 14:02:30Z  operator (U0OPERATOR1): stop spark: refused, Not stopped: spark is held.',
    '2026-12-01 14:02:30Z  sparkops on spark, #142: deploy of qwen35: serving',
  ]);
});

test('as JSON, one line each', async () => {
  const lines = await output({ json: true, by: 'U0OPERATOR1', cluster: 'spark' });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { who, what: 'hold spark eval run', cluster: 'spark', decision: 'accepted', at: '2026-12-01T14:02:30.000Z' },
  ]);
});

test('by age', async () => {
  expect(await output({ since: '1h' })).toHaveLength(3);
  expect(await output({ since: '1h', now: new Date(Date.now() + 7_200_000) })).toEqual([]);
  await expect(output({ since: 'yesterday' })).rejects.toThrow('--since takes an age, and "yesterday" is none');
});

test('a Redis that is not there is named within seconds', async () => {
  await expect(output({ redisUrl: 'redis://127.0.0.1:1' })).rejects.toMatchObject({ code: 'store-away' });
});
