import { isUtf8 } from 'node:buffer';
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, Scalar } from 'yaml';
import type { Problem } from './config.ts';

export type Path = readonly PropertyKey[];

/** A YAML file as plain values that still know their lines. */
export interface YamlFile {
  file: string;
  /** Undefined when the text is no YAML; then `problems` says why. */
  value: unknown;
  problems: readonly Problem[];
  /** Where a wrong value was left out: what follows from that is no problem of its own. */
  doubtful: readonly Path[];
  /** 1-based line of the key or item at the path, or of the nearest thing above it that exists. */
  lineOf: (path: Path) => number | undefined;
  /** 1-based line of the n-th line (from 0) inside the text at the path. */
  lineInText: (path: Path, n: number) => number | undefined;
  /** A scalar as it was written: `0.90`, not 0.9. */
  written: (path: Path) => string | undefined;
}

/** Reads one document. Wrong encoding, wrong syntax, duplicate keys and empty files come back as problems. */
export function readYaml(file: string, bytes: Uint8Array): YamlFile {
  const badLine = lineThatIsNotUtf8(bytes);
  if (badLine !== undefined) {
    const problem = { file, line: badLine, wrong: 'The text is not UTF-8', right: 'Save the file as UTF-8' };
    return withoutValue(file, [problem]);
  }
  const lines = new LineCounter();
  const text = new TextDecoder().decode(bytes);
  const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const problems = [...doc.errors, ...doc.warnings].map((error): Problem => {
    const { line } = lines.linePos(error.pos[0]);
    return { file, line, ...explainSyntax(error.code, error.message, text.slice(error.pos[0])) };
  });
  if (problems.length > 0) return withoutValue(file, problems);
  const value = toValue(doc);
  if (value instanceof Error) {
    const right = 'Write the value out where the alias stands';
    return withoutValue(file, [{ file, wrong: `An alias can't be read: ${value.message}`, right }]);
  }
  if (value === null)
    return withoutValue(file, [{ file, wrong: 'The file is empty', right: 'Fill it in, or delete it' }]);
  return { file, value, problems: [], doubtful: [], ...positions(doc, lines) };
}

function positions(doc: Document, lines: LineCounter): Pick<YamlFile, 'lineOf' | 'lineInText' | 'written'> {
  const lineAt = (offset: number | undefined) => (offset === undefined ? undefined : lines.linePos(offset).line);
  const lineOf = (path: Path) => lineAt(offsetOf(doc, path));
  return {
    lineOf,
    lineInText(path, n) {
      const node = doc.getIn(path, true);
      const literal = isScalar(node) && node.type === Scalar.BLOCK_LITERAL;
      const header = literal ? lineAt(node.range?.[0]) : undefined;
      return header === undefined ? lineOf(path) : header + 1 + n;
    },
    written(path) {
      const node = doc.getIn(path, true);
      return isScalar(node) ? (node.source ?? String(node.value)) : undefined;
    },
  };
}

function offsetOf(doc: Document, path: Path): number | undefined {
  let node: unknown = doc.contents;
  let offset = isNode(node) ? node.range?.[0] : undefined;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(doc);
    if (isMap(node)) {
      const pair = node.items.find((item) => String(isScalar(item.key) ? item.key.value : item.key) === String(step));
      if (!pair) break;
      offset = isNode(pair.key) ? pair.key.range?.[0] : offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === 'number') {
      const item = node.items[step];
      if (!isNode(item)) break;
      offset = item.range?.[0] ?? offset;
      node = item;
    } else break;
  }
  return offset;
}

function toValue(doc: Document): unknown {
  try {
    return doc.toJS({ maxAliasCount: 100 });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function explainSyntax(code: string, message: string, from: string): Pick<Problem, 'wrong' | 'right'> {
  const first = message.split('\n')[0] ?? message;
  switch (code) {
    case 'DUPLICATE_KEY': {
      const key = /^\S*?(?=\s*:)/.exec(from)?.[0] ?? '';
      return { wrong: `The key ${key} stands here a second time`, right: 'Keep one of the two' };
    }
    case 'TAB_AS_INDENT':
      return { wrong: 'A tab indents this line', right: 'Indent with spaces' };
    case 'MULTIPLE_DOCS':
      return {
        wrong: 'A second document begins here',
        right: 'Keep one document: remove the --- line and what follows',
      };
    case 'TAG_RESOLVE_FAILED':
      return { wrong: `The tag is not known: ${first}`, right: 'Remove the word that begins with !' };
    case 'BAD_ALIAS':
      return { wrong: `An alias can't be read: ${first}`, right: 'Put text that begins with * or & into quotes' };
    default:
      return {
        wrong: `This is not YAML: ${first}`,
        right: 'Check indentation, quotes and brackets of this line and the one above',
      };
  }
}

function lineThatIsNotUtf8(bytes: Uint8Array): number | undefined {
  if (isUtf8(bytes)) return undefined;
  let line = 1;
  let start = 0;
  for (let end = 0; end <= bytes.length; end++) {
    if (end < bytes.length && bytes[end] !== 0x0a) continue;
    if (!isUtf8(bytes.subarray(start, end))) return line;
    line++;
    start = end + 1;
  }
  return 1;
}

function withoutValue(file: string, problems: readonly Problem[]): YamlFile {
  return { file, value: undefined, problems, doubtful: [], lineOf: nothing, lineInText: nothing, written: nothing };
}

function nothing(): undefined {
  return undefined;
}
