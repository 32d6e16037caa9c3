/** What one command of a reading program printed. */
export interface Section {
  name: string;
  lines: readonly string[];
  exitCode: number;
}

export interface Sections {
  all: readonly Section[];
  /** An empty one with exit code 127 when the program never came to it. */
  get: (name: string) => Section;
}

/** Reads the output of a program that uses `section` of node-facts.sh. What a login shell prints before it is passed over. */
export function parseSections(text: string): Sections {
  const all: { name: string; lines: string[]; exitCode: number }[] = [];
  for (const line of text.split('\n')) {
    const current = all.at(-1);
    if (line.startsWith('# ')) all.push({ name: line.slice(2), lines: [], exitCode: 127 });
    else if (current && line.startsWith(' ')) current.lines.push(line.slice(1));
  }
  for (const section of all) takeExitCode(section);
  return { all, get: (name) => all.find((each) => each.name === name) ?? { name, lines: [], exitCode: 127 } };
}

function takeExitCode(section: { lines: string[]; exitCode: number }): void {
  const code = /^rc=(\d+)$/.exec(section.lines.at(-1) ?? '')?.[1];
  if (code === undefined) return;
  section.exitCode = Number(code);
  section.lines.pop();
  while (section.lines.at(-1) === '') section.lines.pop();
}
