import type { Acts } from './acts.ts';
import type { Delivery } from './delivery.ts';
import type { Fault } from './faults.ts';
import type { SlackEvent } from './feed.ts';
import type { Message } from './message.ts';
import type { Channel } from './people.ts';
import type { DisconnectReason } from './socket-mode.ts';
import type { OpenView } from './view.ts';
import type { ApiCall, Violation } from './web-api.ts';

export interface LocalSlackOptions {
  /** A free port when left out. */
  port?: number;
  botToken?: string;
  appToken?: string;
  signingSecret?: string;
  /** The slash commands that the app has; `/spark` when left out. */
  commands?: readonly string[];
  /** How long the app has to acknowledge: Slack's 3 s. */
  ackLimitMs?: number;
  /** Slack's limits per method and channel; on unless false. */
  rateLimits?: boolean;
  /** Of the bot token; those of the app's manifest when left out. */
  scopes?: readonly string[];
  /** Between the server's pings; 10 s. */
  pingEveryMs?: number;
  /** The zone in which texts and the page show clock times; the machine's when left out. */
  timeZone?: string;
  now?: () => number;
}

/** A stand-in for Slack's server on this machine, with its people. */
export interface LocalSlack extends Acts {
  /** The page to type and click in. */
  url: string;
  /** What the app's clients take as slackApiUrl. */
  apiUrl: string;
  botToken: string;
  appToken: string;
  signingSecret: string;

  /** Everything in order of arrival; grows as things happen. */
  apiCalls: readonly ApiCall[];
  deliveries: readonly Delivery[];
  /** Requests that Slack would have refused. A well-behaved app leaves it empty. */
  violations: readonly Violation[];

  /** Messages at the top of a channel, oldest first, with replies that were also sent to the channel. */
  messages: (channel: string) => Message[];
  /** A thread's root and its replies. */
  thread: (channel: string, ts: string) => Message[];
  ephemerals: (user: string) => Message[];
  /** A person's modals, the one in front last. */
  modals: (user: string) => OpenView[];
  /** The text of an uploaded file. */
  fileText: (id: string) => string;
  /** A message as lines for a terminal, without its author. */
  textOf: (message: Message) => string;
  nameOf: (id: string) => string;
  /** The last messages that anybody sees, with their authors. */
  transcript: () => string;

  /** Listens to everything; returns the call that stops it. */
  on: (listener: (event: SlackEvent) => void) => () => void;
  /** Resolves with the first answer that isn't nothing; asks again whenever something happens here. 5 s when left out. */
  until: <T>(predicate: () => T, limitMs?: number) => Promise<NonNullable<T>>;

  /** Plans a fault for the next calls of a method, of `response_url`, or of all (`*`). */
  fault: (method: string, fault: Fault) => void;
  clearFaults: () => void;
  /** Adds a channel, or changes one. */
  setChannel: (change: { id: string } & Partial<Channel>) => void;
  /** Who is in a user group from now on. */
  setUserGroup: (id: string, users: readonly string[]) => void;
  /** What a person does to a message in Slack's menu. */
  deleteMessage: (channel: string, ts: string) => void;

  /** How many sockets the app has open. */
  sockets: () => number;
  disconnect: (reason: DisconnectReason) => void;
  /** Cuts the sockets, as a network failure does. */
  dropSockets: () => void;
  /** Delivers to a URL, signed, instead of over sockets; `socket` goes back. */
  deliverTo: (target: { url: string } | 'socket') => void;

  /** Ends every connection and timer. */
  stop: () => Promise<void>;
}
