import type { Deployment } from '../../jobs/deployment.ts';
import type { DeploymentEvent } from '../../jobs/events.ts';
import { decidersOf } from '../cards/deciders.ts';
import { decisionReply } from '../cards/decision-reply.ts';
import { endMessage } from '../cards/end-message.ts';
import { forcedReply } from '../cards/forced-reply.ts';
import { textOnly, type Message } from '../cards/message.ts';
import { threadReply } from '../cards/thread-reply.ts';
import { deliver } from './deliver.ts';
import { END, PROGRESS, type Urgency } from './lane.ts';
import { leaveChannel, type Presentation } from './presentation.ts';

type Admitted = DeploymentEvent & { kind: 'admitted' };
type Ended = DeploymentEvent & { kind: 'ended' };

const ATTENTION: readonly DeploymentEvent['kind'][] = ['ended', 'aborting', 'approval-decided', 'forced'];

/** Posts each event once, in order: what came together in one reply, an end as a message of its own. Rejects when aborted. */
export async function keepReplies(presentation: Presentation): Promise<never> {
  const { watch, signal, standing } = presentation;
  for (;;) {
    const seen = watch.version;
    const next = pending(presentation)[0];
    if (next?.kind === 'admitted') await beginRun(presentation);
    else if (next && standing.facts.cardTs !== '') await reply(presentation);
    else {
      if (!next) await presentation.shown({ replies: seen });
      await watch.changed(seen, signal);
    }
  }
}

function pending({ watch, standing }: Presentation): readonly DeploymentEvent[] {
  return watch.events.filter((event) => event.seq > standing.facts.seq);
}

/** A new run has its own card. Events of runs before the first one that is shown are history. */
async function beginRun(presentation: Presentation): Promise<void> {
  const { standing, watch, signal } = presentation;
  const { run, cardTs, firstTs } = standing.facts;
  const admissions = pending(presentation).filter((event): event is Admitted => event.kind === 'admitted');
  const event = run === 0 ? admissions.at(-1) : admissions[0];
  if (!event) return;
  const first = firstTs || cardTs;
  const change = {
    run: event.seq,
    runAt: event.at,
    seq: event.seq,
    user: event.by.user,
    cardTs: '',
    cardTries: 0,
    firstTs: first,
  };
  await standing.change(change, signal);
  watch.bump();
}

async function reply(presentation: Presentation): Promise<void> {
  const { uid, lanes, log, standing, watch, signal } = presentation;
  if (!isSilent(presentation, batch(presentation))) {
    await lanes.posts(standing.facts.channel).turn(() => urgencyOf(pending(presentation)), signal);
  }
  // What came while waiting goes along.
  const events = batch(presentation);
  const [first, last] = [events[0], events.at(-1)];
  const { channel, cardTs, replyTries } = standing.facts;
  if (!first || !last || cardTs === '') return;
  const message = await messageOf(presentation, events, last);
  if (!message) {
    standing.note({ seq: last.seq });
    return;
  }

  const delivered = await deliver(presentation, {
    post: {
      channel,
      threadTs: cardTs,
      mark: { deployment: uid, seq: last.seq },
      broadcast: last.kind === 'ended' ? last.state !== 'replaced' : standsAlone(presentation, last),
    },
    versions: versions(message),
    since: first.at,
    urgency: urgencyOf(events),
    tries: replyTries,
    keepTries: (tries) => standing.change({ replySeq: last.seq, replyTries: tries }, signal),
    blindRepeats: 1,
  });
  if (delivered === 'gone') {
    await standing.change({ cardTs: '', cardTries: 0, replyTries: 0 }, signal);
    watch.bump();
    return;
  }
  if (delivered === 'no-channel') return leaveChannel(presentation, channel);
  if (delivered === 'refused') log.error({ uid, channel, seq: last.seq }, 'Slack refuses a reply: it is left out');
  await standing.change({ seq: last.seq, replyTries: 0 }, signal);
  // The log follows its end.
  if (last.kind === 'ended') watch.bump();
}

/** Up to the next end or run, which stand alone; a post whose outcome is unknown keeps its events. */
function batch(presentation: Presentation): readonly DeploymentEvent[] {
  const { replyTries, replySeq } = presentation.standing.facts;
  const events = pending(presentation).filter((event) => replyTries === 0 || event.seq <= replySeq);
  const alone = events.findIndex((event) => standsAlone(presentation, event));
  if (alone === -1) return events;
  return alone === 0 ? events.slice(0, 1) : events.slice(0, alone);
}

/** Everybody hears of it, in the channel too; another run has a card of its own. */
function standsAlone({ watch }: Presentation, event: DeploymentEvent): boolean {
  if (event.kind === 'approval-decided') return decisionReply(watch.record, event, []) !== undefined;
  return event.kind === 'ended' || event.kind === 'admitted' || event.kind === 'forced';
}

async function messageOf(
  presentation: Presentation,
  events: readonly DeploymentEvent[],
  last: DeploymentEvent,
): Promise<Message | undefined> {
  const { watch, standing, rights } = presentation;
  if (last.kind === 'ended') return endMessage(asEnded(presentation, last), standing.facts.user);
  if (last.kind === 'forced') return forcedReply(watch.record, last);
  if (last.kind !== 'approval-decided') return threadReply(events);
  const from = watch.record.approval?.terms.from ?? [];
  const skipped = await rights().then(
    (config) => decidersOf(from, config.rights),
    () => [],
  );
  return decisionReply(watch.record, last, skipped) ?? threadReply(events);
}

function isSilent(presentation: Presentation, events: readonly DeploymentEvent[]): boolean {
  return events.every((event) => !standsAlone(presentation, event)) && threadReply(events) === undefined;
}

/** What stands before an end must not hold it up, and a cause is news. */
function urgencyOf(events: readonly DeploymentEvent[]): Urgency {
  return events.some(({ kind }) => ATTENTION.includes(kind)) ? END : PROGRESS;
}

function versions(message: Message): readonly Message[] {
  return [message, textOnly(message)];
}

/** The record as that end left it, though another run may have begun since. */
function asEnded(presentation: Presentation, event: Ended): Deployment {
  const { watch, standing } = presentation;
  const { record } = watch;
  const later = watch.events.some((other) => other.seq > event.seq && other.kind === 'admitted');
  const run = later && standing.facts.firstTs === '' ? 'deploy' : record.run;
  const { cause: _cause, remedy: _remedy, ...kept } = record;
  return {
    ...kept,
    run,
    state: event.state,
    endedAt: record.state === event.state && record.endedAt !== undefined ? record.endedAt : event.at,
    ...(event.cause === undefined ? {} : { cause: event.cause }),
    ...(event.remedy === undefined ? {} : { remedy: event.remedy }),
  };
}
