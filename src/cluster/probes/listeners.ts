/** Lines of `ss -ltnH` -> the local addresses, as in "0.0.0.0:8000" or "[::]:22". */
export function parseListeners(lines: readonly string[]): string[] {
  return lines.flatMap((line) => /^LISTEN\s+\d+\s+\d+\s+(\S+:\d+)\s/.exec(`${line} `)?.[1] ?? []);
}

export function listensOn(listeners: readonly string[], port: number): boolean {
  return listeners.some((address) => address.endsWith(`:${port}`));
}
