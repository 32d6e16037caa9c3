import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../../programs/', import.meta.url);

export interface InstalledPrograms {
  /** Over the names and contents of all programs: names the folder that holds them on a node. */
  hash: string;
  /** sh text that defines `programs`: it calls `put NAME` with each of them on standard input. */
  puts: string;
  /** sh text for `sh -s -- ARGS`: raise.sh, which installs them all. */
  installer: string;
}

let programs: InstalledPrograms | undefined;

/** All programs that a raise installs on a node; read once. */
export function installedPrograms(): InstalledPrograms {
  programs ??= pack(readAll());
  return programs;
}

/** Where a raise has installed a program on a node. */
export function programPath(state: string, name: string): string {
  return `${state}/programs-${installedPrograms().hash}/${name}`;
}

/** A program's text, to be sent on standard input: `sh -s -- ARGS`, `docker exec -i C python3 - ARGS`. */
export function programText(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8');
}

function readAll(): { name: string; text: string }[] {
  const names = readdirSync(FOLDER).filter((name) => /^[\w.-]+\.(sh|py)$/.test(name));
  return names.sort().map((name) => ({ name, text: programText(name) }));
}

function pack(files: readonly { name: string; text: string }[]): InstalledPrograms {
  const hash = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 12);
  // The contents can't hold a hash of themselves, so this line ends each document and nothing else.
  const end = `END-${hash}`;
  const puts = files.map(
    ({ name, text }) => `put ${name} <<'${end}'\n${text.endsWith('\n') ? text : `${text}\n`}${end}\n`,
  );
  const all = `programs() {\n${puts.join('')}}\n`;
  return { hash, puts: all, installer: `${all}${programText('raise.sh')}` };
}
