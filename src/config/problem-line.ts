import type { Problem } from './config.ts';

/** `clusters/spark.yaml:12: What is wrong. What would be right.` */
export function problemLine({ file, line, wrong, right }: Problem): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return `${place}: ${sentence(wrong)} ${sentence(right)}`;
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
