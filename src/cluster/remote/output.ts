import { StringDecoder } from 'node:string_decoder';

export interface Output {
  push: (chunk: Buffer) => void;
  /** All that was kept; a last line without its line end goes to onLine first. */
  end: () => string;
}

export interface OutputOptions {
  maxBytes: number;
  /** false: nothing is kept, `end` gives ''. */
  keep: boolean;
  onLine?: ((line: string) => void) | undefined;
}

export class TooMuchOutput extends Error {
  override readonly name = 'TooMuchOutput';
}

/** Text out of bytes that come in pieces of any size. Throws TooMuchOutput when more than maxBytes would have to be held. */
export function output({ maxBytes, keep, onLine }: OutputOptions): Output {
  const decoder = new StringDecoder('utf8');
  let kept: string[] = [];
  let held = 0;
  let rest = '';

  function take(text: string): void {
    if (keep) kept.push(text);
    if (!onLine) return;
    const lines = text.split('\n');
    lines[0] = rest + (lines[0] ?? '');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  }

  return {
    push: (chunk) => {
      held = keep ? held + chunk.length : rest.length + chunk.length;
      if (held > maxBytes) {
        kept = [];
        rest = '';
        throw new TooMuchOutput();
      }
      take(decoder.write(chunk));
    },
    end: () => {
      take(decoder.end());
      if (rest !== '') onLine?.(rest);
      rest = '';
      return kept.join('');
    },
  };
}
