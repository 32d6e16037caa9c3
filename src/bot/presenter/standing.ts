import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Jobs } from '../../jobs/jobs.ts';
import { SURFACE } from '../places.ts';

/** What stands in Slack of a deployment: the view that the command wrote, and what the presenter has added. */
const Facts = z.looseObject({
  channel: z.string(),
  /** Who asked for the current run. */
  user: z.string().default(''),
  /** Last event that the thread has. */
  seq: z.number().default(0),
  /** Seq of the event that began the current run: a deploy, or a stop of what it left serving. */
  run: z.number().default(0),
  runAt: z.string().default(''),
  cardTs: z.string().default(''),
  /** The deploy's own card, once a stop has one too. */
  firstTs: z.string().default(''),
  /** The request for approval that stands in Slack: its mark, and its message. */
  askMark: z.number().default(0),
  askTs: z.string().default(''),
  /** Posts of the request with that mark whose outcome is not known. */
  askTries: z.number().default(0),
  /** Posts of the card whose outcome is not known. */
  cardTries: z.number().default(0),
  /** Posts of the reply with mark `replySeq` whose outcome is not known. */
  replyTries: z.number().default(0),
  replySeq: z.number().default(0),
  /** `endedAt` of the end whose log is in the thread, or was tried. */
  logOf: z.string().default(''),
  /** Slack refused the plan block. */
  sections: z.boolean().default(false),
  /** Posts go to who asked, since the channel can't be written to. */
  direct: z.boolean().default(false),
});
export type Facts = z.infer<typeof Facts>;

type View = ReturnType<Jobs['view']>;

const STORE_AWAY_MS = 1_000;

/** Undefined: nobody asked for it in Slack. */
export async function loadStanding(jobs: Pick<Jobs, 'view'>, uid: string): Promise<Standing | undefined> {
  const view = jobs.view(uid, SURFACE);
  const facts = Facts.safeParse(await view.load());
  return facts.success ? new Standing(view, facts.data) : undefined;
}

/** Kept in the store, so that another process goes on where this one ended. */
export class Standing {
  readonly #view: View;
  #facts: Facts;
  #saving: Promise<void> = Promise.resolve();

  constructor(view: View, facts: Facts) {
    this.#view = view;
    this.#facts = facts;
  }

  get facts(): Readonly<Facts> {
    return this.#facts;
  }

  /** For what may be found out again: goes to the store with the next change. */
  note(change: Partial<Facts>): void {
    this.#facts = { ...this.#facts, ...change };
  }

  /** Resolves once the store has it; waits for a store that is away. */
  async change(change: Partial<Facts>, signal: AbortSignal): Promise<void> {
    this.note(change);
    const saved = this.#saving.then(() => this.#save(signal));
    this.#saving = saved.catch(() => {});
    await saved;
  }

  async #save(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await this.#view.save(plainValues(this.#facts));
        return;
      } catch {
        await delay(STORE_AWAY_MS, undefined, { signal });
      }
    }
  }
}

function plainValues(facts: Facts): Record<string, string | number | boolean> {
  const values: Record<string, string | number | boolean> = {};
  for (const [key, value] of Object.entries(facts)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') values[key] = value;
  }
  return values;
}
