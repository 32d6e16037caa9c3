/** Who uses a connection, so that one that takes no new work is ended when the last of its users leaves. */
export interface Usage {
  /** Returns how to leave, which may be called twice. */
  begin: () => () => void;
  /** From now on, the last one to leave ends it. */
  retire: () => void;
}

export function usage(end: () => void): Usage {
  const users = new Set<symbol>();
  let retired = false;

  function endIfIdle(): void {
    if (retired && users.size === 0) end();
  }

  return {
    begin: () => {
      const user = Symbol('user');
      users.add(user);
      return () => {
        if (users.delete(user)) endIfIdle();
      };
    },
    retire: () => {
      retired = true;
      endIfIdle();
    },
  };
}
