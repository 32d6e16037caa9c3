import { setTimeout as delay } from 'node:timers/promises';
import type { Message } from '../cards/message.ts';
import { problemOf, slackWord } from '../slack-problem.ts';
import type { Place } from '../slack.ts';
import { waitMs } from './deliver.ts';
import { PROGRESS, type Urgency } from './lane.ts';
import { leaveChannel, type Presentation } from './presentation.ts';

/** A message of ours that shows the record. */
export interface Face {
  place: Place;
  render: () => Message;
  /** What must be on it at once when it changes; the rest is progress. */
  steps: () => string;
  /** Of a change of the steps. */
  urgency: () => Urgency;
  /** It was deleted. */
  forget: () => Promise<void>;
}

/** What each face shows, by its ts. */
export type Shown = Map<string, { rendering: string; steps: string }>;

/** Edits a message until it shows the latest record, or is no more. Rejects when aborted. */
export async function bringUpToDate(presentation: Presentation, face: Face, shown: Shown): Promise<void> {
  const { uid, slack, lanes, log, standing, signal } = presentation;
  const { ts, channel } = face.place;
  for (let attempt = 0; ; attempt++) {
    if (JSON.stringify(face.render()) === shown.get(ts)?.rendering) return;
    await lanes.edits.turn(() => (shown.get(ts)?.steps === face.steps() ? PROGRESS : face.urgency()), signal);
    const message = face.render();
    const state = { rendering: JSON.stringify(message), steps: face.steps() };
    if (state.rendering === shown.get(ts)?.rendering) return;
    try {
      await slack.edit(face.place, message);
      shown.set(ts, state);
      return;
    } catch (error) {
      const problem = problemOf(error);
      log.warn({ uid, channel, problem: problem.kind, why: slackWord(error) }, 'An edit of a message failed');
      if (problem.kind === 'rate-limited') lanes.edits.pause(problem.waitMs);
      else if (problem.kind === 'not-sent' || problem.kind === 'unknown')
        await delay(waitMs(attempt), undefined, { signal });
      else if (problem.kind === 'gone') return face.forget();
      else if (problem.kind === 'no-channel') return leaveChannel(presentation, channel);
      else if (problem.kind === 'blocks-refused' && !standing.facts.sections)
        await standing.change({ sections: true }, signal);
      else shown.set(ts, state);
    }
  }
}
