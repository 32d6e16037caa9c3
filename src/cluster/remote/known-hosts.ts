import { createHmac } from 'node:crypto';

export interface KnownKeys {
  /** Host keys in base64, with their types, that the file gives for this host. */
  keys: readonly { type: string; key: string }[];
  /** Keys marked @revoked for it. */
  revoked: readonly string[];
}

/** The keys of one host in a known_hosts file (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT"). Certificate authorities and wildcards are passed over. */
export function knownKeys(text: string, address: string, port: number): KnownKeys {
  const host = port === 22 ? address : `[${address}]:${port}`;
  const keys: { type: string; key: string }[] = [];
  const revoked: string[] = [];
  for (const line of text.split('\n')) {
    const words = line.trim().split(/\s+/);
    if (words[0] === '' || words[0]?.startsWith('#')) continue;
    const marker = words[0]?.startsWith('@') ? words.shift() : undefined;
    const [patterns, type, key] = words;
    if (!patterns || !type || !key || !isFor(host, patterns)) continue;
    if (marker === '@revoked') revoked.push(key);
    else if (marker === undefined) keys.push({ type, key });
  }
  return { keys, revoked };
}

function isFor(host: string, patterns: string): boolean {
  const names = patterns.split(',');
  return (
    !names.includes(`!${host}`) &&
    names.some((name) => name.toLowerCase() === host.toLowerCase() || isHashOf(host, name))
  );
}

function isHashOf(host: string, pattern: string): boolean {
  const [, version, salt, hash] = pattern.split('|');
  if (version !== '1' || !salt || !hash) return false;
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(host).digest('base64') === hash;
}
