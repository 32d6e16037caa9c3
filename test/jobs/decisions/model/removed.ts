import { GUARDS, type Guards } from './guards.ts';

/** Each guard that there is, taken away: what would decide if it were not there. */
export const REMOVED: Readonly<Record<string, Partial<Guards>>> = {
  'the claim is compared at admission': {
    decideClaim: (seen, ask) => GUARDS.decideClaim({ ...seen, claim: null }, ask),
  },
  'the claim is compared when the lease is taken': {
    decideTaking: (seen, ask) => GUARDS.decideTaking({ ...seen, claim: ask.uid }, ask),
  },
  'each taking of the lease has a fence of its own': {
    decideTaking: (seen, ask) => {
      const taking = GUARDS.decideTaking(seen, ask);
      return taking.outcome === 'taken' ? { ...taking, fence: Math.max(1, Number(seen.fence ?? 0)) } : taking;
    },
  },
  'a lapsed lease is taken again only if nobody else had it': {
    decideRenewal: (seen, ours) => GUARDS.decideRenewal({ ...seen, fence: String(ours.fence) }, ours),
  },
  'the token is compared when a record is written': { decideWrite: () => 'write' },
  'a node compares the fence of a command': {
    guardLets: (file, given) => GUARDS.guardLets(file?.replace(/ \d+ /, ` ${given.fence} `), given),
  },
  'a node compares the token of a command': {
    guardLets: (file, given) => GUARDS.guardLets(file?.replace(/ \w+\n/, ` ${given.token}\n`), given),
  },
  "a raise waits for the node's lock": { lockIsFree: () => true },
  'a node refuses to raise to a lower fence': {
    answerRaise: (file, request, now) => overwriting('higher', file, request, now),
  },
  'a node refuses to raise to an equal fence of another token': {
    answerRaise: (file, request, now) => overwriting('equal', file, request, now),
  },
  'a higher fence is above what the node has seen': {
    decideHigher: (seen, ask) => GUARDS.decideHigher(seen, { ...ask, min: 0 }),
  },
  'a lost lease undoes nothing': {
    decideAfterStop: (stop) =>
      GUARDS.decideAfterStop(
        stop.why === 'lease-lost' ? { why: 'failed', cause: { text: '', lines: [] }, remedy: '' } : stop,
      ),
  },
  'a higher fence is raised before an undo': {
    abortSteps: (begun, options) => GUARDS.abortSteps(begun, options).filter(({ act }) => act !== 'raise'),
  },
  'a phase without an undo is raised over as well': {
    abortSteps: (begun, options) =>
      GUARDS.abortSteps(begun, options).filter(({ act }) => act !== 'raise' || begun.some(({ undoes }) => undoes)),
  },
  'an unknown lease starts no change': {
    decideChange: (state) => (state === 'unknown' ? 'start' : GUARDS.decideChange(state)),
  },
};

const overwriting = (word: string, ...[file, request, now]: Parameters<Guards['answerRaise']>) => {
  const answer = GUARDS.answerRaise(file, request, now);
  return answer.answer.startsWith(word) ? GUARDS.answerRaise(undefined, request, now) : answer;
};
