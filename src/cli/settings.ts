import { readFileSync } from 'node:fs';
import { OperatorError } from '../errors.ts';

export interface SlackSettings {
  botToken: string;
  appToken: string;
  /** Another base URL than Slack's own; only with the tokens of a local Slack. */
  apiUrl?: string;
}

/** All that a process is told from outside. Only cli reads the environment. */
export interface Settings {
  configFolder: string;
  redisUrl: string;
  slack: SlackSettings;
  logLevel: string;
  /** SSH_AUTH_SOCK, for clusters with `agent: true`. */
  sshAgent?: string;
  /** Value of a secret that a recipe names, by its name. */
  secret: (name: string) => string | undefined;
}
