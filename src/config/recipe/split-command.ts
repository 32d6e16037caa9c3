export interface Word {
  text: string;
  /** Line of the text where the word begins, from 0. */
  line: number;
  /** Nothing in it was quoted or escaped: a shell would split a value that is put in here. */
  bare: boolean;
}

export interface SplitProblem {
  /** From 0. */
  line: number;
  wrong: string;
  right: string;
}

/** Splits as a POSIX shell does. Whatever would make a shell do more than split is a problem: no shell ever sees the text. */
export function splitCommand(text: string): { words: readonly Word[]; problems: readonly SplitProblem[] } {
  const words: Word[] = [];
  const problems: SplitProblem[] = [];
  let word: Word | undefined;
  let line = 0;
  let ended = false;

  const begin = (bare: boolean): Word => {
    if (ended && !word) {
      ended = false;
      if (words.length > 0) {
        problems.push({ line, wrong: 'A second command begins on this line', right: 'End the line before it with \\' });
      }
    }
    word ??= { text: '', line, bare: true };
    if (!bare) word.bare = false;
    return word;
  };
  const end = () => {
    if (word) words.push(word);
    word = undefined;
  };

  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    const continued = /^\\[ \t]*\r?\n/.exec(text.slice(at, at + 200));
    if (continued) {
      at += continued[0].length;
      line++;
    } else if (char === '\n') {
      end();
      ended = true;
      line++;
      at++;
    } else if (/\s/.test(char)) {
      end();
      at++;
    } else if (char === '#' && !word) {
      at = endOfLine(text, at);
    } else if (char === '\\') {
      begin(false).text += text.charAt(at + 1);
      at += 2;
    } else if (char === "'" || char === '"') {
      const quoted = readQuoted(text, at);
      const into = begin(false);
      if (quoted.problem)
        problems.push({ line: line + quoted.problem.line, wrong: quoted.problem.wrong, right: quoted.problem.right });
      into.text += quoted.text;
      line += quoted.lines;
      at = quoted.next;
    } else {
      const active = ACTIVE[char] ?? (char === '~' && !word ? 'the home folder' : undefined);
      if (active !== undefined) problems.push(notAShell(line, char, active));
      begin(true).text += char;
      at++;
    }
  }
  end();
  return { words, problems };
}

/** What a shell would make of these outside quotes. */
const ACTIVE: Partial<Record<string, string>> = {
  $: 'a variable or a command',
  '`': 'a command',
  '|': 'a pipe',
  '&': 'a background job',
  ';': 'a second command',
  '<': 'a redirection',
  '>': 'a redirection',
  '(': 'a subshell',
  ')': 'a subshell',
  '*': 'file names',
  '?': 'file names',
};

function notAShell(line: number, char: string, active: string): SplitProblem {
  return {
    line,
    wrong: `The command holds ${char} outside quotes, which means ${active} to a shell; sparkops runs it without one`,
    right: `Write the value out, or put it in single quotes if ${char} belongs to it`,
  };
}

interface Quoted {
  text: string;
  next: number;
  /** Line ends inside. */
  lines: number;
  problem?: SplitProblem;
}

function readQuoted(text: string, start: number): Quoted {
  const quote = text.charAt(start);
  let inside = '';
  let lines = 0;
  let problem: SplitProblem | undefined;
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === quote) return { text: inside, next: at + 1, lines, ...(problem && { problem }) };
    const next = text.charAt(at + 1);
    if (quote === '"' && char === '\\' && '$`"\\\n'.includes(next) && next !== '') {
      if (next === '\n') lines++;
      else inside += next;
      at++;
      continue;
    }
    if (quote === '"' && (char === '$' || char === '`'))
      problem ??= notAShell(lines, char, ACTIVE[char] ?? 'a command');
    if (char === '\n') lines++;
    inside += char;
  }
  problem = { line: 0, wrong: `The quote ${quote} is never closed`, right: `Close it with another ${quote}` };
  return { text: inside, next: text.length, lines, problem };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}
