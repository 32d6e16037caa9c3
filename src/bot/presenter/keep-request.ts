import { setTimeout as delay } from 'node:timers/promises';
import type { Approval } from '../../jobs/approval/approval.ts';
import { approvalRequest } from '../cards/approval-request.ts';
import { decidersOf } from '../cards/deciders.ts';
import { textOnly, type Message } from '../cards/message.ts';
import { deliver, waitMs } from './deliver.ts';
import { bringUpToDate, type Face, type Shown } from './face.ts';
import { END } from './lane.ts';
import { leaveChannel, type Presentation } from './presentation.ts';

/** More requests than this are not made in a run. */
const MOST = 1_000;

/**
 * Keeps the request for approval, a message of its own in the channel, at the latest record: posted once, then edited.
 * Returns only by rejecting when aborted.
 */
export async function keepRequest(presentation: Presentation): Promise<never> {
  const { watch, standing, signal, log, uid } = presentation;
  const shown: Shown = new Map();
  let deciders: readonly string[] = [];
  for (;;) {
    const seen = watch.version;
    const { approval } = watch.record;
    if (approval && standing.facts.run > 0) {
      deciders = await whoDecides(presentation, approval).catch((error: unknown) => {
        log.warn({ err: error, uid }, 'The configuration does not say who decides');
        return deciders;
      });
      const render = () => approvalRequest(watch.record, latestOf(presentation, approval), { deciders });
      const mark = markOf(presentation, approval);
      if (standing.facts.askMark !== mark || standing.facts.askTs === '') {
        if (isWanted(presentation, approval, mark)) await post(presentation, { approval, mark, render, shown });
      } else {
        await bringUpToDate(presentation, faceOf(presentation, { mark, render }), shown);
      }
    }
    if (watch.version === seen) await presentation.shown({ request: seen });
    await watch.changed(seen, signal);
  }
}

/** As it stands now; a newer request of the same record is another one. */
function latestOf({ watch }: Presentation, asked: Approval): Approval {
  const { approval } = watch.record;
  return approval?.id === asked.id && approval.at === asked.at ? approval : asked;
}

/** No event has a number below zero. Those of a record count anew with each run. */
function markOf({ standing }: Presentation, { id }: Approval): number {
  return -(standing.facts.run * MOST + id);
}

/** One that was deleted after it was decided is not missed. */
function isWanted({ standing }: Presentation, { decision }: Approval, mark: number): boolean {
  return !decision || standing.facts.askMark !== mark || standing.facts.askTries > 0;
}

async function whoDecides({ rights }: Presentation, { terms, by }: Approval): Promise<readonly string[]> {
  return decidersOf(terms.from, (await rights()).rights, terms.self ? undefined : by.user);
}

interface Request {
  approval: Approval;
  mark: number;
  render: () => Message;
  shown: Shown;
}

async function post(presentation: Presentation, { approval, mark, render, shown }: Request): Promise<void> {
  const { uid, lanes, log, standing, watch, signal } = presentation;
  const { channel } = standing.facts;
  await lanes.posts(channel).turn(() => END, signal);
  const tries = standing.facts.askMark === mark ? standing.facts.askTries : 0;
  const message = render();
  const delivered = await deliver(presentation, {
    post: { channel, mark: { deployment: uid, seq: mark } },
    versions: [message, textOnly(message)],
    since: approval.at,
    urgency: END,
    tries,
    keepTries: (count) => standing.change({ askMark: mark, askTs: '', askTries: count }, signal),
    // Nobody can agree to what nobody sees.
    blindRepeats: Number.POSITIVE_INFINITY,
  });
  if (delivered === 'no-channel') return leaveChannel(presentation, channel);
  if (typeof delivered === 'string') {
    log.error({ uid, channel, delivered }, 'Slack refuses the request for approval');
    return delay(waitMs(5), undefined, { signal });
  }
  const { place, version } = delivered;
  await standing.change({ askMark: mark, askTs: place.ts, channel: place.channel, askTries: 0 }, signal);
  // One that was found rather than posted may show an older state: it is edited.
  if (version === 0 && tries === 0)
    shown.set(place.ts, { rendering: JSON.stringify(message), steps: stepsOf(approval) });
  watch.bump();
}

function faceOf({ standing, watch, signal }: Presentation, { mark, render }: Pick<Request, 'mark' | 'render'>): Face {
  return {
    place: { channel: standing.facts.channel, ts: standing.facts.askTs },
    render,
    steps: () => (watch.record.approval ? stepsOf(watch.record.approval) : ''),
    urgency: () => END,
    forget: async () => {
      if (standing.facts.askMark === mark) await standing.change({ askTs: '', askTries: 0 }, signal);
      watch.bump();
    },
  };
}

/** A decision takes the buttons away. */
function stepsOf({ id, votes, decision }: Approval): string {
  return `${id} ${votes.length} ${decision?.kind ?? ''}`;
}
