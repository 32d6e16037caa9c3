/** Who reads, and where: names of people and channels, the clock and its zone. */
export interface Reader {
  /** A person's name, or a user group's handle. */
  user: (id: string) => string;
  channel: (id: string) => string;
  now: () => number;
  /** IANA name; the machine's zone when left out. */
  timeZone?: string;
}
