export function fail(text: string, exitCode = 1): number {
  process.stderr.write(`${text}\n`);
  return exitCode;
}

const HELP = "\n\nRun 'docker run --help' for more information";

export function failRun(text: string, exitCode = 125): number {
  return fail(`docker: ${text}${HELP}`, exitCode);
}
