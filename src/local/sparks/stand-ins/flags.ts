/** Options of a command line by name without dashes: `--port 1`, `--port=1`, `-tp 2`, `--block`. The first words without one are under ''. */
export function parseFlags(words: readonly string[]): Map<string, string> {
  const flags = new Map<string, string>();
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const next = words[at + 1];
    const [name = '', joined] = word.split(/=(.*)/s);
    if (!word.startsWith('-')) {
      if (!flags.has('')) flags.set('', word);
    } else if (joined !== undefined) {
      flags.set(bare(name), joined);
    } else if (next !== undefined && !next.startsWith('-')) {
      flags.set(bare(name), next);
      at += 1;
    } else {
      flags.set(bare(name), '');
    }
  }
  return flags;
}

function bare(name: string): string {
  return name.replace(/^--?/, '').replaceAll('_', '-');
}
