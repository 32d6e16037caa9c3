import type { CleanLine } from './clean-lines.ts';
import { deadActor } from './dead-actor.ts';
import { isProgressBar } from './progress.ts';
import { firstSentences } from './first-sentences.ts';

export interface PlainCause {
  /** The error line that says most, or the last line; at most 150 characters, cut at a sentence. */
  text: string;
  /** What kind of error it is, if one can be read: "torch.OutOfMemoryError". */
  exception?: string;
  /** Of the node that it is about: the one that wrote it, or that died. */
  ip?: string;
  /** What proves it, at most 15; the one that `text` is of stands whole among them. */
  lines: readonly string[];
}

// vLLM's record head: level, time, file and line.
const RECORD = /^(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d \[[^\]]*\]\s?/;
const EXCEPTION = /^((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Timeout))(?::|$)/;
const ERROR_RECORD = /^(?:ERROR|CRITICAL) /;
/** They say only that something before them failed. */
const WRAPPER =
  /Engine core initialization failed|root cause above|EngineDeadError|^SystemExit|^KeyboardInterrupt|CancelledError/;

const BEFORE = 9;
const AFTER = 3;
const MAX_TEXT = 150;
const MAX_WIDTH = 400;
/** The deciding line: a bound against a log that never ends its line. */
const MAX_DECIDING = 1_000;

/** A first, plain reading of how a log ends. `nodeOf` names the node of an address. */
export function plainCause(log: readonly CleanLine[], nodeOf: (ip: string) => string | undefined): PlainCause {
  const texts = log.map(({ text }) => text.replace(RECORD, ''));
  const errors = texts.flatMap((text, at) => (EXCEPTION.test(text.trimStart()) ? [at] : []));
  const records = log.flatMap(({ text }, at) => (ERROR_RECORD.test(text) ? [at] : []));
  const isRoot = (at: number) => !WRAPPER.test(texts[at] ?? '');
  const error = errors.findLast(isRoot) ?? errors.at(-1) ?? records.findLast(isRoot) ?? records.at(-1);
  const at = error ?? Math.max(0, log.length - 1);

  // How far a bar was says nothing beside an error.
  const tells = (text: string) => speaks(text) && !(error !== undefined && isProgressBar(text));
  const block = range(Math.max(0, at - BEFORE), at).filter((each) => tells(texts[each] ?? '') && each !== at);
  const after = [...errors, ...records].filter((each) => each > at);
  const shown = [...block, at, ...[...new Set(after)].toSorted((a, b) => a - b).slice(-AFTER)];
  const dead = deadActor(texts, at);
  const ip = dead.ip ?? log[at]?.ip;
  const text = [(texts[at] ?? 'the log is empty').trim(), ...(dead.why === undefined ? [] : [dead.why])].join(' ');
  const exception = EXCEPTION.exec(text)?.[1];
  return {
    text: firstSentences(text, MAX_TEXT),
    ...(exception !== undefined && { exception }),
    ...(ip !== undefined && { ip }),
    lines: shown.flatMap((each) => {
      const width = each === at ? MAX_DECIDING : MAX_WIDTH;
      return lineOf(log[each], texts[each], nodeOf).map((line) => line.slice(0, width));
    }),
  };
}

/** Not a line of carets under an expression. */
function speaks(text: string): boolean {
  return !/^[\s^~]*$/.test(text);
}

function lineOf(
  line: CleanLine | undefined,
  text: string | undefined,
  nodeOf: (ip: string) => string | undefined,
): string[] {
  if (!line || text === undefined) return [];
  const node = line.ip === undefined ? undefined : (nodeOf(line.ip) ?? line.ip);
  return [`${node === undefined ? '' : `${node}: `}${text}`];
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}
