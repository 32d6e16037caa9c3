/** Lines of `ss -ltnH` -> the local addresses, as in "0.0.0.0:8000" or "[::]:22". */
export function parseListeners(lines: readonly string[]): string[] {
  return lines.flatMap((line) => localAddress(line) ?? []);
}

export function listensOn(listeners: readonly string[], port: number): boolean {
  return listeners.some((address) => address.endsWith(`:${port}`));
}

/** Of one line. */
export function listeningPort(line: string): number | undefined {
  const port = localAddress(line)?.replace(/^.*:/, '');
  return port === undefined ? undefined : Number(port);
}

function localAddress(line: string): string | undefined {
  return /^LISTEN\s+\d+\s+\d+\s+(\S+:\d+)\s/.exec(`${line} `)?.[1];
}
