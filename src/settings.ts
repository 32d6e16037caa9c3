interface SlackSettings {
  botToken: string;
  appToken: string;
  /** Another base URL than Slack's own: only with the tokens of a local Slack. */
  apiUrl?: string;
}

/** All that a process is told from outside: cli reads the environment, nothing else does. */
export interface Settings {
  configFolder: string;
  redisUrl: string;
  slack: SlackSettings;
  /** SSH_AUTH_SOCK, for clusters with `agent: true`. */
  sshAgent?: string;
  /** Value of a secret that a recipe names. */
  secret: (name: string) => string | undefined;
}
