/** What is wrong, where: `text` as Slack words it, `pointer` a JSON pointer from the root of the request. */
export interface Problem {
  text: string;
  pointer: string;
}

export function worded(problem: Problem): string {
  return `${problem.text} [json-pointer:${problem.pointer}]`;
}
