import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { maskSecrets } from './mask.ts';

/** JSON lines: level as a word, time in ISO 8601 UTC, what looks like a secret masked wherever it stands. */
export function createLog(level: string, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: ['token', '*.token', 'password', '*.password'], censor: '[masked]' },
      hooks: { streamWrite: maskSecrets },
    },
    destination,
  );
}
