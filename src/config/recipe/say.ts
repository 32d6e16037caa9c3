import type { Problem } from '../config.ts';
import { startsWith } from '../repair.ts';
import type { Path, YamlFile } from '../yaml-file.ts';

/** Notes a problem at a path; `line` (from 0) is a line inside the text that stands there. */
export type Say = (path: Path, wrong: string, right: string, line?: number) => void;

export function sayInto(problems: Problem[], yaml: YamlFile): Say {
  return (path, wrong, right, inside) => {
    if (yaml.doubtful.some((doubtful) => startsWith(path, doubtful))) return;
    const line = inside === undefined ? yaml.lineOf(path) : yaml.lineInText(path, inside);
    problems.push({ file: yaml.file, ...(line !== undefined && { line }), wrong, right });
  };
}
