export type Keys = ReturnType<typeof keysOf>;

/** Every key of this realm. The braces keep them in one slot, so that one script may touch them all. */
export function keysOf(realm: string) {
  const prefix = `{sparkops:${realm}}`;
  return {
    /** For BullMQ, which appends ':' itself. */
    prefix,
    /** Channel that carries the uid of each changed record. */
    changes: `${prefix}:changes`,
    counter: `${prefix}:counter`,
    /** Channel of admissions that wait for the counter. */
    counterWanted: `${prefix}:counter-wanted`,
    /** number -> uid */
    numbers: `${prefix}:numbers`,
    /** Every record, by creation time. */
    all: `${prefix}:all`,
    /** Records that are not ended. */
    live: `${prefix}:live`,
    /** Records that ended and serve nothing, by end time. */
    ended: `${prefix}:ended`,
    record: (uid: string) => `${prefix}:deployment:${uid}`,
    events: (uid: string) => `${prefix}:deployment:${uid}:events`,
    claim: (cluster: string) => `${prefix}:cluster:${cluster}:claim`,
    serving: (cluster: string) => `${prefix}:cluster:${cluster}:serving`,
    lease: (cluster: string) => `${prefix}:cluster:${cluster}:lease`,
    fence: (cluster: string) => `${prefix}:cluster:${cluster}:fence`,
    unpresented: (surface: string) => `${prefix}:unpresented:${surface}`,
    present: (uid: string, surface: string) => `${prefix}:present:${surface}:${uid}`,
    once: (name: string) => `${prefix}:once:${name}`,
    bucket: (name: string) => `${prefix}:bucket:${name}`,
  };
}
