import type { Problem } from './config.ts';
import { sayInto } from './recipe/say.ts';
import type { Timeouts } from './sparkops-file.ts';
import type { YamlFile } from './yaml-file.ts';

/** Limits that only make sense below or above another. */
export function checkTimeouts(timeouts: Timeouts, yaml: YamlFile): Problem[] {
  const problems: Problem[] = [];
  const say = sayInto(problems, yaml);
  for (const [key, ms] of Object.entries(timeouts)) {
    if (ms === 0 && key !== 'drain') say(['timeouts', key], `timeouts.${key} is 0`, 'It must be more than 0');
    // Node's timers hold 31 bits of milliseconds; a longer one fires at once.
    if (ms > 86_400_000) say(['timeouts', key], `timeouts.${key} is more than a day`, 'It must be at most 24h');
  }
  const below = (smaller: keyof Timeouts, larger: keyof Timeouts, why: string) => {
    if (timeouts[smaller] < timeouts[larger]) return;
    const at = yaml.lineOf(['timeouts', smaller]) === yaml.lineOf(['timeouts']) ? larger : smaller;
    const wrong = `timeouts.${smaller} (${text(timeouts[smaller])}) is not below timeouts.${larger} (${text(timeouts[larger])})`;
    say(['timeouts', at], wrong, why);
  };
  below('load_silence', 'load', 'A load that says nothing must end before the load as a whole does');
  below('connect', 'look', 'A look must outlast one try to connect');
  below('stall_check', 'job_lock', 'Stalled jobs must be looked for more often than their locks run out');
  if (timeouts.lease > 60_000) {
    say(
      ['timeouts', 'lease'],
      `timeouts.lease is ${text(timeouts.lease)}`,
      'It must be at most 60s: so long nobody can take over from a process that died',
    );
  }
  if (timeouts.lease < 1000) {
    say(
      ['timeouts', 'lease'],
      `timeouts.lease is ${text(timeouts.lease)}`,
      'It must be at least 1s: it is renewed after a third of it',
    );
  }
  return problems;
}

function text(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
