/** What a process does. One process may do both. */
export type Role = 'bot' | 'worker';

/** How Slack reaches the bot: the bot opens sockets, or Slack calls a URL. */
export type SlackWay =
  | { kind: 'socket'; appToken: string }
  /** `port` 0: any free one. */
  | { kind: 'http'; signingSecret: string; host: string; port: number };

export interface SlackSettings {
  botToken: string;
  way: SlackWay;
  /** Another base URL than Slack's own: only with the tokens of a local Slack. */
  apiUrl?: string;
}

export interface WorkerSettings {
  /** SSH_AUTH_SOCK, for clusters with `agent: true`. */
  sshAgent?: string;
  /** Value of a secret that a recipe names. */
  secret: (name: string) => string | undefined;
}

/** What is there for those who keep sparkops running. All of it is off when left out. */
export interface OperationSettings {
  /** Where /healthz and /metrics answer. */
  port?: { host: string; port: number };
  /** Called each minute while all is well. */
  heartbeatUrl?: string;
  /** A port of 127.0.0.1 for a view of the queues. */
  boardPort?: number;
  /** The queues tell OpenTelemetry, if the process was started with an SDK. */
  telemetry?: boolean;
}

/** All that a process is told from outside: cli reads the environment, nothing else does. */
export interface Settings {
  configFolder: string;
  redisUrl: string;
  /** Left out: no bot in this process. */
  slack?: SlackSettings;
  /** Left out: no worker in this process. */
  worker?: WorkerSettings;
  operation: OperationSettings;
}
