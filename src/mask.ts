// Slack, Hugging Face and API tokens, bearer headers, URLs with a password.
const SECRET_LIKE =
  /\b(?:xox[a-z]|xapp)-[\w-]{6,}|\bhf_\w{8,}|\bsk-[\w-]{8,}|(?<=\bBearer )[\w.~+/-]{8,}=*|(?<=:\/\/[^\s:@/]*:)[^\s@/]+(?=@)/g;

/** Replaces whatever looks like a secret, wherever it stands. For logs and for everything that people are shown. */
export function maskSecrets(text: string): string {
  return text.replace(SECRET_LIKE, '[masked]');
}
