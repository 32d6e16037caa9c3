import { expect, onTestFinished, test } from 'vitest';
import type { AuditLine } from '../../src/jobs/audit.ts';
import { APPROVER, OPERATOR, VIEWER } from '../../src/local/slack/people.ts';
import { fakeJobs } from './support/fake-jobs.ts';
import { workplace } from './support/bot.ts';
import { failed, serving } from './support/records.ts';

const line = (minute: number, what: string, change: Partial<AuditLine> = {}): AuditLine => ({
  at: `2026-12-01T12:${String(minute).padStart(2, '0')}:00.000Z`,
  who: { team: '', user: OPERATOR, name: 'operator' },
  what,
  cluster: 'spark',
  decision: 'accepted',
  ...change,
});

async function start() {
  const asked: unknown[] = [];
  const decisions = [
    line(30, 'approval of stop, #140', { decision: 'approved', who: { team: '', user: APPROVER, name: 'approver' } }),
    line(20, 'stop spark', { decision: 'refused', why: 'Not stopped: Approver holds spark' }),
    line(5, 'hold spark eval run'),
  ];
  const jobs = fakeJobs({
    decisions: async (request) => {
      asked.push(request);
      return decisions.slice(0, request.limit);
    },
  });
  for (const record of [
    serving({ uid: 'uid140', number: 140, createdAt: '2026-12-01T12:10:00.000Z' }),
    failed({ uid: 'uid139', number: 139, createdAt: '2026-12-01T12:01:00.000Z' }),
  ]) {
    jobs.records.set(record.uid, record);
  }
  const place = await workplace({ jobs });
  onTestFinished(place.stop);
  return { ...place, asked };
}

const beginnings = (text: string) => text.split('\n').map((each) => each.split(':')[0]);

test('decisions stand among the deployments, newest first', async () => {
  const { ask, slack } = await start();
  const text = await ask(VIEWER, '/spark history');
  expect(beginnings(text)).toEqual([
    'approval of stop, #140 on spark APPROVED',
    'stop spark REFUSED',
    '#140 qwen35 on spark UP',
    'hold spark eval run ACCEPTED',
    '#139 qwen35 on spark FAILED',
  ]);
  expect(text).toMatch(
    /^.*APPROVED: <@U0APPROVER1>, <!date.*>\n.*REFUSED: <@U0OPERATOR1>, <!date.*>, Not stopped: Approver holds spark\n/,
  );
  expect(slack.violations).toEqual([]);
});

test('is read page by page, by a button or typed', async () => {
  const { ask, slack } = await start();
  const first = await ask(VIEWER, '/spark history spark lines 2');
  expect(beginnings(first).slice(0, 2)).toEqual(['approval of stop, #140 on spark APPROVED', 'stop spark REFUSED']);
  expect(first).toContain('Older: `/spark history spark lines 2 page 2`');
  const { ts } = slack.ephemerals(VIEWER)[0] ?? { ts: '' };
  await slack.click(VIEWER, ts, 'older');
  const second = (await slack.until(() => slack.ephemerals(VIEWER)[1])).text;
  expect(beginnings(second).slice(0, 2)).toEqual(['#140 qwen35 on spark UP', 'hold spark eval run ACCEPTED']);
  const last = await ask(VIEWER, '/spark history spark lines 2 page 3');
  expect(beginnings(last)).toEqual(['#139 qwen35 on spark FAILED']);
  expect(await ask(VIEWER, '/spark history spark lines 2 page 4')).toBe('Nothing older is recorded.');
  expect(await ask(VIEWER, '/spark history page 0')).toContain('page is a number from 1 to 99.');
});

test('cluster, person and age are asked for in both', async () => {
  const { ask, asked } = await start();
  await ask(VIEWER, `/spark history spark by <@${APPROVER}> since 2h`);
  expect(asked).toEqual([{ cluster: 'spark', by: APPROVER, since: expect.stringMatching(/^\d{4}-/), limit: 16 }]);
});
