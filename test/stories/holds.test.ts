import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { audit } from '../../src/cli/audit.ts';
import type { AuditLine } from '../../src/jobs/audit.ts';
import { ADMIN, APPROVER, OPERATOR, OPS_CHANNEL, VIEWER } from '../../src/local/slack/people.ts';
import { answers, eventually, type Place, say, startPlace } from '../support/place.ts';

let place: Place;
afterEach(() => place.stop());

/** A file in the head's state folder; empty when there is none. */
function onHead(name: string): string {
  const head = place.sparks.clusterFile().nodes.find(({ role }) => role === 'head');
  const file = join(head?.paths?.state ?? '', name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** What everybody in the channel reads. */
const channel = () => place.slack.messages(OPS_CHANNEL).map(place.slack.textOf);
/** The answer that only this person gets. */
async function answered(person: string, text: string): Promise<string> {
  const before = answers(place, person).length;
  await say(place, text, person);
  return place.slack.until(() => answers(place, person)[before], 25_000);
}
async function toldTo(person: string, text: string, beginning: RegExp): Promise<string> {
  const before = channel().length;
  await say(place, text, person);
  return place.slack.until(
    () =>
      channel()
        .slice(before)
        .find((line) => beginning.test(line)),
    15_000,
  );
}

it(
  'a hold keeps others out, is told of before its end, lies on the head and ends by itself',
  { timeout: 180_000 },
  async () => {
    place = await startPlace();
    await place.product();
    await toldTo(OPERATOR, '/spark hold spark for 25s "eval run"', /^spark HELD by @Operator until .*: eval run\./);
    await eventually('the head knows', 10_000, () => onHead('hold-demo') !== '');
    expect(JSON.parse(onHead('hold-demo'))).toMatchObject({ name: 'operator', reason: 'eval run' });

    const refused = await answered(APPROVER, '/spark deploy qwen35');
    expect(refused).toMatch(/^Not started: @Operator holds spark until .*, eval run\.\nNothing was changed\./);
    expect(await place.record(1)).toBeUndefined();
    expect(await answered(VIEWER, '/spark status')).toMatch(
      /^spark HELD: by @Operator until .*, eval run \(for .* now\); nothing serves/,
    );

    const reminder = await place.slack.until(
      () => channel().find((line) => line.startsWith('Your hold on spark ends in')),
      60_000,
    );
    expect(reminder).toMatch(/@Operator\n.*\[Extend 1 h\].*\[Release\]/s);
    await eventually(
      'it is over',
      60_000,
      async () => !(await place.store.redis.exists(place.store.keys.hold('spark'))),
    );
    expect(await answered(APPROVER, '/spark deploy qwen35')).toMatch(/^Deploying qwen35 on spark, #1\./);
    expect((await place.ended(1)).state).toBe('serving');
    expect(channel().filter((line) => line.startsWith('Your hold'))).toHaveLength(1);
    expect(place.slack.violations).toEqual([]);
  },
);

it('who passes a hold by force is told to the channel, with the reason', { timeout: 120_000 }, async () => {
  place = await startPlace();
  await place.product();
  await toldTo(OPERATOR, '/spark hold spark until 3h "eval run"', /^spark HELD/);
  const told = await toldTo(
    ADMIN,
    '/spark deploy qwen35 force hold reason: the demo is at nine',
    /^spark FORCED: deploy of qwen35/,
  );
  expect(told).toBe(
    'spark FORCED: deploy of qwen35 (#1) passes holds, by @Admin.\nReason: "the demo is at nine"\nIt is in the audit.',
  );
  const { state, forced } = await place.ended(1);
  expect({ state, forced: forced?.what }).toEqual({ state: 'serving', forced: ['hold'] });
  // Here, on its card and in its end.
  expect(channel().filter((line) => line.includes('FORCED'))).toHaveLength(3);
  expect(place.slack.violations).toEqual([]);
});

it('a hold and a freeze survive a store that was emptied, by the files on the head', { timeout: 180_000 }, async () => {
  place = await startPlace();
  await place.product();
  await toldTo(OPERATOR, '/spark hold spark until 3h "eval run"', /^spark HELD/);
  await toldTo(ADMIN, '/spark freeze until 2h power works', /^All clusters FROZEN by @Admin/);
  await eventually('the head knows', 10_000, () => onHead('freeze-demo') !== '' && onHead('hold-demo') !== '');

  await eventually('the nodes were read', 10_000, () => place.store.redis.get(place.store.keys.counter));
  await place.store.redis.flushall();
  expect(await answered(APPROVER, '/spark deploy qwen35')).toMatch(
    /^Not started: @Admin has frozen all clusters until/,
  );
  await toldTo(ADMIN, '/spark unfreeze', /^All clusters UNLOCKED/);
  expect(await answered(ADMIN, '/spark hold spark mine')).toMatch(
    /^Not held: @Operator holds spark until .*, eval run\./,
  );
  expect(await place.store.redis.zrange(place.store.keys.notices, 0, '-1')).toContain('hold-ends:spark');
  await eventually('the head knows of its end', 10_000, () => onHead('freeze-demo') === '');
});

it(
  'unlock is refused while a job runs; who did what is in history, audit and on the head',
  { timeout: 180_000 },
  async () => {
    place = await startPlace({ loadSeconds: 6 });
    await place.product();
    await toldTo(OPERATOR, '/spark hold spark "eval run"', /^spark HELD/);
    // Its holder may.
    expect(await answered(OPERATOR, '/spark deploy qwen35')).toMatch(/^Deploying qwen35 on spark, #1\./);
    const busy = await answered(OPERATOR, '/spark unlock spark');
    expect(busy).toMatch(/^Not unlocked: spark is busy with @Operator's qwen35 \(#1\)\./);
    expect(busy).toContain('[Cancel #1]');
    expect((await place.ended(1)).state).toBe('serving');
    await toldTo(APPROVER, '/spark unlock spark', /^spark UNLOCKED: @Approver ended @Operator's hold, eval run\./);
    await eventually('the head knows', 10_000, () => onHead('hold-demo') === '');

    expect(await answered(VIEWER, '/spark history')).toMatch(
      /^unlock spark ACCEPTED: @Approver, .*\nunlock spark REFUSED: @Operator, .*\n#1 qwen35 on spark UP: @Operator, .*\nhold spark "eval run" ACCEPTED: @Operator, /,
    );
    expect(await answered(VIEWER, `/spark history by <@${APPROVER}> lines 1`)).toMatch(
      /^unlock spark ACCEPTED: [^\n]*$/,
    );

    const lines: AuditLine[] = [];
    const { configFolder, redisUrl } = place;
    const options = {
      configFolder,
      redisUrl,
      json: true,
      since: '1h',
      cluster: 'spark',
      by: undefined,
      now: new Date(),
    };
    await audit({ ...options, write: (text) => void lines.push(JSON.parse(text)) });
    expect(lines.map(({ who, what, decision, result }) => `${who.name}: ${what}: ${result ?? decision}`)).toEqual([
      'operator: hold spark "eval run": accepted',
      'operator: deploy qwen35: accepted',
      'operator: unlock spark: refused',
      'sparkops: deploy of qwen35: serving',
      'approver: unlock spark: accepted',
    ]);
    await eventually(
      'the head has them too',
      10_000,
      () => onHead('audit-demo.log').trim().split('\n').length === lines.length,
    );
    expect(
      onHead('audit-demo.log')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(lines);
  },
);
