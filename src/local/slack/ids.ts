import { randomBytes } from 'node:crypto';

/** A Slack id: the letter of its kind and ten capitals or digits. */
export function newId(letter: 'D' | 'F' | 'V'): string {
  return `${letter}${randomBytes(5).toString('hex').toUpperCase()}`;
}

/** What Slack puts where an app left out a block_id or action_id. */
export function newElementId(): string {
  return randomBytes(4).toString('base64url').slice(0, 5);
}

export function newViewHash(now: number): string {
  return `${Math.floor(now / 1000)}.${randomBytes(4).toString('hex')}`;
}

export function digits(count: number): string {
  return Array.from(randomBytes(count), (byte) => String((byte % 9) + 1)).join('');
}
