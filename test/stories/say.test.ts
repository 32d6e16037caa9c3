import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { say as sayHere } from '../../src/cli/say.ts';
import { APPROVER, OPERATOR, VIEWER } from '../../src/local/slack/people.ts';
import { cardText, eventually, startPlace, type Place } from '../support/place.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

let place: Place;
afterEach(() => place.stop());

/** The same in this process, which starts faster. */
async function say(text: string, as = OPERATOR): Promise<{ code: number; output: string }> {
  const { configFolder, redisUrl } = place;
  let output = '';
  const write = (more: string) => void (output += `${more}\n`);
  const code = await sayHere({ text, as, configFolder, redisUrl, log: pino({ level: 'silent' }), write });
  return { code, output };
}

/** As a person at the bot's host: no Slack token is in the environment. */
async function sayAtHost(text: string, as: string): Promise<{ code: number; output: string; log: string }> {
  const { configFolder, redisUrl } = place;
  const child = spawn(process.execPath, [CLI, 'say', text, '--as', as, '--config', configFolder], {
    env: { PATH: process.env['PATH'], REDIS_URL: redisUrl, LOG_LEVEL: 'info' },
  });
  let output = '';
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output, log };
}

it('every command runs at the host without Slack, with the rights of the person it is said as', async () => {
  place = await startPlace({ loadSeconds: 0.5 });
  await place.product();

  const refused = await sayAtHost('deploy qwen35', VIEWER);
  expect(refused.code).toBe(1);
  expect(refused.output).toContain('Not started: Only operators may deploy.');
  expect(refused.log).toContain('"surface":"cli"');

  const checked = await say('check qwen35 on spark', VIEWER);
  expect(checked.output).toMatch(/^Checks: \d+ ok\.\nqwen35 on spark, looked at now\. Nothing was changed\.\n$/);
  expect(checked.code).toBe(0);
  expect(await place.store.redis.get(place.store.keys.lease('spark'))).toBeNull();

  const deployed = await say('/spark deploy qwen35 on spark note "eval run"');
  expect(deployed.output).toContain('Deploying qwen35 on spark, #1.');
  expect(deployed.output).toContain('Smoke test, done: right answer');
  expect(deployed.output).toMatch(/\nspark UP: qwen35, \d+ tok\/s, took .*@U0OPERATOR1\n/);
  expect(deployed.code).toBe(0);
  expect((await place.ended(1)).note).toBe('eval run');
  expect(cardText(place)).toContain('"eval run"');

  expect((await say('check')).output).toMatch(/^Checks: \d+ ok\.\nqwen35 on spark/);
  expect((await say('history by me')).output).toMatch(/^#1 qwen35 on spark UP: @U0OPERATOR1, .*"eval run"\n$/);
  expect((await say('clusters')).output).toContain(
    'spark (spark1, spark2), two pretend DGX Sparks on this computer: serves qwen35 (#1)',
  );
  expect((await say('plan qwen35 max_model_len=8192')).output).toContain('With max_model_len=8192');
  expect((await say('status spark', VIEWER)).output).toMatch(/^spark OK: qwen35 \(#1\)/);
  expect((await say('bench')).output).toMatch(/^spark: qwen35 \(#1\) writes \d+ tok\/s\.\nshort answer: first token/);
  expect((await say('diagnose')).output).toMatch(
    /No error among its last lines\.\n```\n(.*\n)+```\nMore: `\/spark logs 1`\n$/,
  );

  const found = await say('logs 1 since 5m grep "GET /health" lines 2');
  expect(found.output).toMatch(/^spark \(#1\): last [12] lines .*\n```\n(.*GET \/health.*\n){1,2}```\n$/);
  expect((await say('logs worker')).output).toContain('on spark2');

  const stopping = say('stop spark');
  await eventually('somebody is asked', 30_000, async () => (await place.record(1))?.state === 'waiting-approval');
  expect((await say('approve 1', APPROVER)).output).toMatch(/^Approved, #1: stop qwen35/);
  const stopped = await stopping;
  expect(stopped.output).toMatch(/\nspark STOPPED: qwen35, nothing serves\. @U0OPERATOR1\n/);
  expect(stopped.code).toBe(0);
  await place.ended(1);
  expect(place.slack.violations).toEqual([]);
}, 90_000);

it('a deploy that fails ends with 1 and its cause; retry does the same again', async () => {
  place = await startPlace({ faults: ['missing-image'] });
  await place.product();
  const failed = await say('deploy qwen35');
  expect(failed.code).toBe(1);
  expect(failed.output).toContain('spark FAILED: qwen35');
  const again = await say('retry');
  expect(again.code).toBe(1);
  expect(again.output).toContain('Deploying qwen35 on spark, #2.');
}, 60_000);
