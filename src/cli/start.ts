import { createLog } from '../log.ts';
import type { Settings } from '../settings.ts';
import { startSparkops } from '../sparkops.ts';

/** A stop is done within 3 s, whatever hangs. */
const STOP_LIMIT_MS = 2_900;

/** Runs until SIGTERM or SIGINT. Returns the exit code. */
export async function start(settings: Settings, logLevel: string): Promise<number> {
  const log = createLog(logLevel, process.stderr);
  const asked = new Promise<string>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        // Whether it still starts, hangs while it stops, or left something open.
        setTimeout(() => process.exit(0), STOP_LIMIT_MS).unref();
        resolve(signal);
      });
    }
  });
  // Socket Mode's client can reject in the background while it reconnects, with no reason at all: it tries again by itself.
  process.on('unhandledRejection', (reason) => log.warn({ err: reason }, 'A rejection that nobody handled'));

  const running = await startSparkops(settings, { log });
  log.info('sparkops is ready');
  log.info(`Stopping: ${await asked}`);
  await running.stop();
  log.info('Stopped; running deploys go on when a worker starts again');
  return 0;
}
