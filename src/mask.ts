// As long as real ones are, so that words such as hf_transfer or sk-learn stay readable.
const TOKENS = [
  String.raw`\b(?:xox[a-z]|xapp)-[\w-]{10,}`,
  String.raw`\bhf_[A-Za-z0-9]{30,}`,
  String.raw`\bsk-(?=[\w-]*\d)[\w-]{20,}`,
  String.raw`\bnvapi-[\w-]{20,}`,
  String.raw`\bgh[opsu]_\w{30,}`,
  String.raw`\bgithub_pat_\w{20,}`,
  String.raw`\bglpat-[\w-]{20,}`,
];
const BEARER = String.raw`(?<=\bBearer )[\w.~+/-]{16,}=*`;
const PASSWORD_OF_URL = String.raw`(?<=:\/\/[^\s:@/]*:)[^\s@/]+(?=@)`;
const SECRET_LIKE = new RegExp([...TOKENS, BEARER, PASSWORD_OF_URL].join('|'), 'g');

/** Replaces whatever looks like a secret, wherever it stands. For logs and for everything that people are shown. */
export function maskSecrets(text: string): string {
  return text.replace(SECRET_LIKE, '[masked]');
}
