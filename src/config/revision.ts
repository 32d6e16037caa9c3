import { createHash } from 'node:crypto';

/** First 8 hex digits of the SHA-256 over names and contents, in the order given. */
export function revision(files: readonly { name: string; content: Uint8Array }[]): string {
  const hash = createHash('sha256');
  for (const { name, content } of files) hash.update(`${name}\0${content.length}\0`).update(content);
  return hash.digest('hex').slice(0, 8);
}
