import type { About } from '../../cluster/remote/fence.ts';
import type { Grip } from '../../cluster/remote/grip.ts';

/**
 * What a node decides, told in TypeScript: there programs/fence.sh and programs/guard.sh do it, in sh. The search over
 * all interleavings runs on these, and a conformance test compares them with the programs over all small states.
 */

/** Whose fence it shall be, and for which deployment. */
export type RaiseAsk = Grip & Pick<About, 'number' | 'run'>;

/** A node's answer to a raise, in fence.sh's words, and its file afterwards. */
export interface RaiseAnswer {
  answer: string;
  /** Its first three lines. */
  file: string | undefined;
}

/** Another realm's fence counts for as long as somebody renews it. */
const STALE_SECONDS = 300;

/** `file`: the text of STATE/fence, undefined when there is none; `now`: the node's clock, in whole seconds. */
export function answerRaise(file: string | undefined, ask: RaiseAsk, now: number): RaiseAnswer {
  const refusal = file === undefined ? undefined : refusalOf(file, ask, now);
  if (refusal !== undefined) return { answer: refusal, file };
  return { answer: 'written', file: writtenOver(file, ask, now) };
}

/** The file's first three lines after a raise or a renewal. */
export function writtenOver(file: string | undefined, ask: RaiseAsk, now: number): string {
  const newer = file === undefined ? undefined : newerIn(file, ask);
  return `${wordsOf(ask)}\nrenewed ${now}\nnumber ${newer ?? ask.number}\n`;
}

/** Whether the guard lets a command of `given` begin. */
export function guardLets(file: string | undefined, given: Grip): boolean {
  return file !== undefined && lineOf(file, 0) === wordsOf(given);
}

function refusalOf(file: string, ask: RaiseAsk, now: number): string | undefined {
  const [realm = '', fence = '', ...token] = wordsIn(file, 0);
  const [, ...renewed] = wordsIn(file, 1);
  if (!isNumber(fence)) return 'unreadable';
  if (realm !== ask.realm) {
    const since = renewed.join(' ');
    if (!isNumber(since)) return 'unreadable';
    // The clock may have been set back.
    const age = Math.max(0, now - Number(since));
    return age < STALE_SECONDS ? `realm ${realm} ${age}` : undefined;
  }
  const newer = newerIn(file, ask);
  // It is admitted once this attempt has ended, so this one's record was restored from before.
  if (newer !== undefined && ask.run === 'deploy') return `newer ${newer}`;
  if (Number(fence) > ask.fence) return `higher ${fence}`;
  if (Number(fence) === ask.fence && token.join(' ') !== ask.token) return `equal ${fence}`;
  return undefined;
}

/** The number of a newer deployment of the same realm that has raised the fence here. */
function newerIn(file: string, { realm, number }: RaiseAsk): string | undefined {
  const [, ...words] = wordsIn(file, 2);
  const had = words.join(' ');
  return wordsIn(file, 0)[0] === realm && isNumber(had) && Number(had) > number ? had : undefined;
}

function wordsIn(file: string, line: number): string[] {
  return lineOf(file, line)
    .split(/[ \t]+/)
    .filter((word) => word !== '');
}

/** As `read -r` of a shell gives it. */
function lineOf(file: string, line: number): string {
  return (file.split('\n')[line] ?? '').replace(/^[ \t]+|[ \t]+$/g, '');
}

function wordsOf({ realm, fence, token }: Grip): string {
  return `${realm} ${fence} ${token}`;
}

function isNumber(word: string): boolean {
  return /^\d+$/.test(word);
}
