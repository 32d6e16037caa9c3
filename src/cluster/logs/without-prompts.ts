import { withoutPrefixes } from './line-prefix.ts';

// How a record of an engine begins: there ends what a line before it has begun.
const RECORD = new RegExp(
  `^(?:${[
    String.raw`(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)(?: \d\d-\d\d \d\d:\d\d:\d\d |: {2,})`, // vLLM, uvicorn
    String.raw`\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d`, // SGLang, Ray, flashinfer, NCCL
    String.raw`\[rank\d+\]:|[IWEF]\d{4} \d\d:\d\d:\d\d`, // torch
    String.raw`[\w.-]+:\d+:\d+ \[\d+\] .*\bNCCL `,
    String.raw`\d+\.\d\d\.\d{3}\.\d{3} [IWED] `, // llama.cpp
  ].join('|')})`,
);

// What users asked or were answered: the records of vLLM (RequestLogger, dump_input.py) and SGLang (RequestLogger), bodies
// of requests as JSON or as Python prints them, and what pydantic says of a body.
const USERS_WORDS = new RegExp(
  [
    String.raw`Received request |\bRequest \S+ details:|Generated response |\b(?:Receive|Finish)(?: OpenAI)?: ?obj=`,
    String.raw`Dumping (?:input data|scheduler output)|(?:NewRequestData|ReqInput|CompletionRequest|ResponsesRequest)\(`,
    String.raw`\b(?:prompt|input|output)_(?:token_)?ids\b`,
    String.raw`["'](?:messages|content|prompts?|text|inputs?|outputs?|arguments|suffix|reasoning(?:_content)?|input_value)["'] ?:`,
    String.raw`\b(?:[Pp]rompts?|[Mm]essages|content|arguments) ?[:=] ?b?["'[{(]|\b[Pp]rompt ?: ?\S`,
    String.raw`(?:\b|_)(?:[Tt]ext|[Ii]nputs?|[Oo]utputs?) ?[:=] ?b?["']`,
    String.raw`\binput_value=(?!ArgsKwargs)`,
  ].join('|'),
);

/** Without one of these no line is one: looking for words is faster by far than the pattern. */
const MARKS =
  'rompt essage ontent rgument ext nput utput uffix easoning eceive inish equest enerated Dumping _ids'.split(' ');

/** Of a line nobody reads more. */
const MOST = 200_000;

/**
 * Takes lines in order; false for one that may hold words of users, and for all that follows it up to the next record.
 * `known`: it holds some, although what is left of it doesn't show them.
 */
export function promptGuard(): (line: string, known?: boolean) => boolean {
  let hiding = false;
  return (line, known = false) => {
    const text = withoutPrefixes(line.slice(0, MOST)).text;
    if (known || holdsUsersWords(text)) hiding = true;
    else if (RECORD.test(text)) hiding = false;
    return !hiding;
  };
}

/** Whether the line itself may hold what a user asked or was answered. */
export function holdsUsersWords(text: string): boolean {
  return MARKS.some((mark) => text.includes(mark)) && USERS_WORDS.test(text);
}

/**
 * Lines of an engine's log without those that may hold users' prompts or answers: rather one line too few than one too
 * many. `cut`: others stood before them, so the first may go on with such a line; they are left out up to the first record.
 */
export function withoutPrompts(lines: readonly string[], { cut = false } = {}): readonly string[] {
  const first = cut ? lines.findIndex((line) => RECORD.test(withoutPrefixes(line.slice(0, MOST)).text)) : 0;
  const keeps = promptGuard();
  return lines.slice(Math.max(0, first)).filter((line) => keeps(line));
}
