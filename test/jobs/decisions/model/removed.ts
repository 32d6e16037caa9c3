import { GUARDS, type Guards } from './guards.ts';
import { forgetfulWorld, secondWorld, type Left, type World } from './state.ts';

interface Removed extends Partial<Guards> {
  /** The troubles that it takes to miss it, all within the bounds of the whole search. */
  left: Partial<Left>;
  /** Left out: that d1 is admitted. */
  from?: (left: Left) => World;
}

/** Each guard that there is, taken away: what would decide if it were not there. */
export const REMOVED: Readonly<Record<string, Removed>> = {
  'the claim is compared at admission': {
    left: { second: 1 },
    decideClaim: (seen, ask) => GUARDS.decideClaim({ ...seen, claim: null }, ask),
  },
  'the claim is compared when the lease is taken': {
    left: { cancel: 1, second: 1 },
    decideTaking: (seen, ask) => GUARDS.decideTaking({ ...seen, claim: ask.uid }, ask),
  },
  'each taking of the lease has a fence of its own': {
    left: { lapse: 2 },
    decideTaking: (seen, ask) => {
      const taking = GUARDS.decideTaking(seen, ask);
      return taking.outcome === 'taken' ? { ...taking, fence: Math.max(1, Number(seen.fence ?? 0)) } : taking;
    },
  },
  'a lapsed lease is taken again only if nobody else had it': {
    left: { lapse: 2 },
    decideRenewal: (seen, ours) => GUARDS.decideRenewal({ ...seen, fence: String(ours.fence) }, ours),
  },
  'the token is compared when a record is written': {
    left: { cancel: 1 },
    decideWrite: () => 'write',
  },
  'a node compares the fence of a command': {
    left: { taking: 1, cancel: 1 },
    guardLets: (file, given) => GUARDS.guardLets(file?.replace(/ \d+ /, ` ${given.fence} `), given),
  },
  'a node compares the token of a command': {
    left: { memory: 1, second: 1 },
    guardLets: (file, given) => GUARDS.guardLets(file?.replace(/ \w+\n/, ` ${given.token}\n`), given),
  },
  "a raise waits for the node's lock": {
    left: {},
    lockIsFree: () => true,
  },
  'a node refuses to raise to a lower fence': {
    left: {},
    answerRaise: (file, ask, now) => overwriting('higher', file, ask, now),
  },
  'a node refuses to raise to an equal fence of another token': {
    left: { memory: 1 },
    answerRaise: (file, ask, now) => overwriting('equal', file, ask, now),
  },
  'a node refuses to raise for an older attempt': {
    left: { memory: 1 },
    from: secondWorld,
    answerRaise: (file, ask, now) => GUARDS.answerRaise(file, { ...ask, run: 'stop' }, now),
  },
  'a higher fence is above what the node has seen': {
    left: { memory: 1 },
    decideHigher: (seen, ask) => GUARDS.decideHigher(seen, { ...ask, min: 0 }),
  },
  'a lost lease undoes nothing': {
    left: {},
    decideAfterStop: (stop) =>
      GUARDS.decideAfterStop(
        stop.why === 'lease-lost' ? { why: 'failed', cause: { text: '', lines: [] }, remedy: '' } : stop,
      ),
  },
  'a higher fence is raised before an undo': {
    left: { taking: 1, cancel: 1 },
    abortSteps: (begun, options) => GUARDS.abortSteps(begun, options).filter(({ act }) => act !== 'raise'),
  },
  'a phase without an undo is raised over as well': {
    left: { taking: 1, cancel: 1 },
    abortSteps: (begun, options) =>
      GUARDS.abortSteps(begun, options).filter(({ act }) => act !== 'raise' || begun.some(({ undoes }) => undoes)),
  },
  'a process that has not raised yet does so before the end, whatever the record says': {
    left: { memory: 1, cancel: 1 },
    from: forgetfulWorld,
    abortSteps: (begun, options) => GUARDS.abortSteps(begun, { ...options, raised: true }),
  },
  'an unknown lease starts no change': {
    left: { lapse: 1 },
    decideChange: (state) => (state === 'unknown' ? 'start' : GUARDS.decideChange(state)),
  },
};

const overwriting = (word: string, ...[file, ask, now]: Parameters<Guards['answerRaise']>) => {
  const answer = GUARDS.answerRaise(file, ask, now);
  return answer.answer.startsWith(word) ? GUARDS.answerRaise(undefined, ask, now) : answer;
};
