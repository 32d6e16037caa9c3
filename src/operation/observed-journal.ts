import type { Deployment } from '../jobs/deployment.ts';
import type { EventBody } from '../jobs/events.ts';
import type { Journal, Mutation } from '../jobs/journal.ts';

/** Tells of each change once, in the process that wrote it: all processes together count everything once. */
export function observedJournal(
  journal: Journal,
  tell: (record: Deployment, event: EventBody | undefined) => void,
): Journal {
  return {
    ...journal,
    async change(uid, mutate, options) {
      let written: ReturnType<Mutation>;
      // Called again when someone else wrote in between: the last one counts.
      const entry = await journal.change(uid, (record, values) => (written = mutate(record, values)), options);
      if (written) tell(written.record, written.event);
      return entry;
    },
  };
}
