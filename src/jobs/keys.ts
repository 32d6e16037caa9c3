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
    samples: (uid: string) => `${prefix}:deployment:${uid}:samples`,
    claim: (cluster: string) => `${prefix}:cluster:${cluster}:claim`,
    serving: (cluster: string) => `${prefix}:cluster:${cluster}:serving`,
    lease: (cluster: string) => `${prefix}:cluster:${cluster}:lease`,
    fence: (cluster: string) => `${prefix}:cluster:${cluster}:fence`,
    /** Id of what others run on a cluster -> whose it is, as they said. */
    foreignOwner: (cluster: string) => `${prefix}:cluster:${cluster}:foreign-owner`,
    /** What a person has put up over a cluster; it ends by itself. */
    hold: (cluster: string) => `${prefix}:cluster:${cluster}:hold`,
    /** The same over all clusters. */
    freeze: `${prefix}:freeze`,
    /** What must also lie on a cluster's head, oldest first. */
    outbox: (cluster: string) => `${prefix}:cluster:${cluster}:outbox`,
    /** The last id that an outbox has given. */
    outboxId: `${prefix}:outbox-id`,
    /** Channel that carries the name of each cluster whose outbox has something. */
    outboxFilled: `${prefix}:outbox-filled`,
    /** Made once for each memory that the store has had; removed when it is found to know less than the nodes. */
    memory: `${prefix}:memory`,
    /** Clusters whose head could not be read since the store lost its memory. */
    unreadHeads: `${prefix}:unread-heads`,
    /** Ids of what people are to be told, by when. */
    notices: `${prefix}:notices`,
    /** Their texts by id. */
    noticeTexts: `${prefix}:notice-texts`,
    /** Channel of notices that are due at once. */
    noticeDue: `${prefix}:notice-due`,
    /** Who did what, oldest first. */
    audit: `${prefix}:audit`,
    unpresented: (surface: string) => `${prefix}:unpresented:${surface}`,
    present: (uid: string, surface: string) => `${prefix}:present:${surface}:${uid}`,
    once: (name: string) => `${prefix}:once:${name}`,
    bucket: (name: string) => `${prefix}:bucket:${name}`,
  };
}
