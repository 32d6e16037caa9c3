import { pino } from 'pino';
import { setTimeout as delay } from 'node:timers/promises';
import { startBot } from '../src/bot/app.ts';
import { LOCAL_RIGHTS, OPERATOR, OPS_CHANNEL } from '../src/local/slack/people.ts';
import { startLocalSlack } from '../src/local/slack/start-local-slack.ts';
import { fakeJobs } from '../test/bot/support/fake-jobs.ts';
import { allDone, aRecord, phasesUpTo } from '../test/bot/support/records.ts';

/** What many deploys in one channel cost Slack, and how late people see them. Milliseconds. */
export interface Loaded {
  edits: number;
  posts: number;
  /** Answers 429. */
  refused: number;
  /** From a change of phase to the card that shows it, or a later one. */
  phases: Spread;
  /** From an end to its message. */
  ends: Spread;
}

interface Spread {
  count: number;
  median: number;
  p95: number;
  worst: number;
}

interface LoadOptions {
  deploys: number;
  /** In which the deploys pass their phases, one after the other begun. */
  seconds: number;
  bots?: number;
  progressEveryMs?: number;
}

const PHASES = [
  'preflight',
  'stop-previous',
  'start-head',
  'start-workers',
  'verify-ray',
  'serve',
  'load',
  'smoke',
] as const;
/** Share of a deploy's time until each phase begins: loading takes most of it. */
const BEGINS = [0, 0.03, 0.06, 0.1, 0.14, 0.17, 0.2, 0.95];
const DRAIN_MS = 120_000;

/** The real presenter and the real local Slack with its limits; records that advance as deploys do. */
export async function loadChannel({ deploys, seconds, bots = 2, progressEveryMs = 500 }: LoadOptions): Promise<Loaded> {
  const slack = await startLocalSlack({ timeZone: 'UTC' });
  const jobs = fakeJobs();
  const running = await Promise.all(
    Array.from({ length: bots }, () =>
      startBot({
        jobs,
        tokens: { bot: slack.botToken, app: slack.appToken },
        slackApiUrl: slack.apiUrl,
        log: pino({ level: 'silent' }),
        rights: async () => ({ rights: LOCAL_RIGHTS, channel_caps: {} }),
      }),
    ),
  );
  const waiting: { uid: string; rank: number; at: number }[] = [];
  const lags = { phases: [] as number[], ends: [] as number[] };
  const stopListening = slack.on((event) => {
    if (event.type !== 'edited' && event.type !== 'posted') return;
    const payload = event.message.metadata?.event_payload;
    const uid = typeof payload === 'object' && payload !== null && 'deployment' in payload ? payload['deployment'] : '';
    const isReply = event.message.thread_ts !== undefined && event.message.thread_ts !== event.message.ts;
    const rank = isReply ? endRank(event.message.text) : cardRank(event.message.text);
    for (const one of waiting.filter(
      (other) => other.uid === uid && isReply === (other.rank === END) && other.rank <= rank,
    )) {
      waiting.splice(waiting.indexOf(one), 1);
      (isReply ? lags.ends : lags.phases).push(performance.now() - one.at);
    }
  });

  async function deploy(index: number): Promise<void> {
    const uid = `deploy${String(index).padStart(4, '0')}`;
    const lifeMs = seconds * 1_000 * 0.75;
    await delay((index / deploys) * seconds * 250);
    jobs.add(aRecord({ uid, number: 100 + index }), { channel: OPS_CHANNEL, user: OPERATOR, team: 'T0LOCAL0001' });
    const began = performance.now();
    for (let phase = 0; phase < PHASES.length; phase++) {
      const name = PHASES[phase] ?? 'load';
      waiting.push({ uid, rank: phase, at: performance.now() });
      jobs.change(
        uid,
        { state: 'running', phase: name, phases: phasesUpTo(name) },
        { kind: 'phase', phase: name, state: 'running' },
      );
      const until = began + lifeMs * (BEGINS[phase + 1] ?? 1);
      for (let tick = 0; performance.now() < until; tick++) {
        if (name === 'load')
          jobs.change(uid, { progress: { stage: 'weights', percent: tick % 100 } }, { kind: 'progress' });
        await delay(Math.min(progressEveryMs, Math.max(1, until - performance.now())));
      }
    }
    waiting.push({ uid, rank: END, at: performance.now() });
    jobs.change(
      uid,
      { state: 'serving', phases: allDone(), endedAt: new Date().toISOString() },
      { kind: 'ended', state: 'serving' },
    );
  }

  try {
    await Promise.all(Array.from({ length: deploys }, (_, index) => deploy(index)));
    const end = performance.now() + DRAIN_MS;
    while (jobs.done.length < deploys && performance.now() < end) await delay(50);
    const count = (method: string) => slack.apiCalls.filter((call) => call.method === method).length;
    return {
      edits: count('chat.update'),
      posts: count('chat.postMessage'),
      refused: slack.apiCalls.filter(({ status }) => status === 429).length,
      phases: spread(lags.phases),
      ends: spread(lags.ends),
    };
  } finally {
    stopListening();
    await Promise.all(running.map((bot) => bot.stop()));
    await slack.stop();
  }
}

const END = 100;
const NAMES = [
  'Preflight',
  'Stop previous',
  'Start head',
  'Start workers',
  'Verify Ray',
  'Serve',
  'Load',
  'Smoke test',
];

function cardRank(text: string): number {
  if (/^\S+ UP/.test(text)) return END - 1;
  return NAMES.findLastIndex((name) => text.includes(`${name}, running`));
}

function endRank(text: string): number {
  return /^\S+ UP/.test(text) ? END : -1;
}

function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  return { count: sorted.length, median: at(0.5), p95: at(0.95), worst: at(1) };
}
