import { createHash } from 'node:crypto';
import ssh2, { type ParsedKey } from 'ssh2';

export interface Key {
  /** The private key, in OpenSSH's form. */
  text: string;
  parsed: ParsedKey;
  /** SHA256:... as `ssh-keygen -lf` prints it. */
  fingerprint: string;
}

export function makeKey(): Key {
  for (;;) {
    const text = ssh2.utils.generateKeyPairSync('ed25519').private;
    const parsed = ssh2.utils.parseKey(text);
    // ssh2 drops a leading zero of the public key, so one key in 256 is malformed.
    if (parsed instanceof Error) continue;
    const digest = createHash('sha256').update(parsed.getPublicSSH()).digest('base64');
    return { text, parsed, fingerprint: `SHA256:${digest.replace(/=+$/, '')}` };
  }
}
