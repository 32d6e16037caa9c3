import { LogLevel } from '@slack/bolt';
import type { Logger } from 'pino';

/** Slack's packages log through ours; their debug lines, which hold whole messages, are never made. */
export function slackLog(log: Logger) {
  const say =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (...parts: unknown[]) =>
      log[level]({ from: 'slack' }, parts.map(String).join(' '));
  return {
    debug: () => {},
    info: say('debug'),
    warn: say('warn'),
    error: say('warn'),
    setLevel: () => {},
    getLevel: () => LogLevel.INFO,
    setName: () => {},
  };
}
