import { setTimeout as delay } from 'node:timers/promises';
import { isEnded, type Deployment } from '../../jobs/deployment.ts';
import { deploymentCard, formerCard } from '../cards/deployment-card.ts';
import { textOnly, type Message } from '../cards/message.ts';
import { deliver, waitMs } from './deliver.ts';
import { bringUpToDate, type Face, type Shown } from './face.ts';
import { END, PHASE, type Urgency } from './lane.ts';
import { leaveChannel, type Presentation } from './presentation.ts';

/** Keeps the card, and the deploy's own card during a stop, at the latest record. Returns only by rejecting when aborted. */
export async function keepCard(presentation: Presentation): Promise<never> {
  const { watch, signal, standing } = presentation;
  const shown: Shown = new Map();
  for (;;) {
    const seen = watch.version;
    if (standing.facts.run > 0 && standing.facts.cardTs === '') await postCard(presentation, shown);
    for (const face of faces(presentation)) await bringUpToDate(presentation, face, shown);
    if (watch.version === seen) await presentation.shown({ card: seen });
    await watch.changed(seen, signal);
  }
}

async function postCard(presentation: Presentation, shown: Shown): Promise<void> {
  const { uid, lanes, log, standing, watch, signal } = presentation;
  const { channel } = standing.facts;
  await lanes.posts(channel).turn(() => PHASE, signal);
  const { run, runAt, cardTries, sections } = standing.facts;
  const rich = cardOf(presentation, sections);
  const bare = cardOf(presentation, true);
  const delivered = await deliver(presentation, {
    post: { channel, mark: { deployment: uid, seq: run } },
    versions: sections ? [rich, textOnly(bare)] : [rich, bare, textOnly(bare)],
    since: runAt,
    urgency: PHASE,
    tries: cardTries,
    keepTries: (tries) => standing.change({ cardTries: tries }, signal),
    // Without a card there would be nothing to edit and no thread.
    blindRepeats: Number.POSITIVE_INFINITY,
  });
  if (delivered === 'no-channel') return leaveChannel(presentation, channel);
  if (typeof delivered === 'string') {
    log.error({ uid, channel, delivered }, 'Slack refuses the card');
    return delay(waitMs(5), undefined, { signal });
  }
  const { place, version } = delivered;
  await standing.change(
    { cardTs: place.ts, channel: place.channel, cardTries: 0, sections: sections || version > 0 },
    signal,
  );
  // A card that was found rather than posted may show an older state: it is edited.
  if (version === 0 && cardTries === 0) shown.set(place.ts, { rendering: JSON.stringify(rich), steps: '' });
  watch.bump();
}

function faces(presentation: Presentation): readonly Face[] {
  const { standing, watch, signal } = presentation;
  const { channel, cardTs, firstTs } = standing.facts;
  const found: Face[] = [];
  const shows = { steps: () => stepsOf(watch.record), urgency: () => urgency(watch.record) };
  if (cardTs !== '') {
    found.push({
      ...shows,
      place: { channel, ts: cardTs },
      render: () => cardOf(presentation, standing.facts.sections),
      forget: async () => {
        if (standing.facts.cardTs === cardTs) await standing.change({ cardTs: '', cardTries: 0 }, signal);
        watch.bump();
      },
    });
  }
  if (firstTs !== '') {
    found.push({
      ...shows,
      place: { channel, ts: firstTs },
      render: () => formerCard(watch.record, { asker: watch.record.by.user }),
      forget: () => standing.change({ firstTs: '' }, signal),
    });
  }
  return found;
}

function cardOf({ standing, watch }: Presentation, sections: boolean): Message {
  return deploymentCard(watch.record, { asker: standing.facts.user || watch.record.by.user, sections });
}

function urgency({ state }: Deployment): Urgency {
  return isEnded(state) || state === 'aborting' ? END : PHASE;
}

/** What must be on the card at once when it changes; the rest is progress. */
function stepsOf(record: Deployment): string {
  const steps = record.phases.map((phase) => phase.state).join(' ');
  const drains = record.drainUntil === undefined ? '' : 'drains';
  return `${record.run} ${record.state} ${steps} ${record.cancelAsked ? 'cancel' : ''} ${drains}`;
}
