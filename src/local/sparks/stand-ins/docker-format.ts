/** What `--format` makes of a value: the small part of Go's templates that `{{json .Path}}` and `{{.Path}}` need. */
export function format(words: readonly string[], value: unknown): string {
  const template = optionOf(words, '--format') ?? optionOf(words, '-f') ?? '{{json .}}';
  return template.replaceAll(/\{\{\s*(json\s+)?\.([\w.]*)\s*\}\}/g, (_, json: string | undefined, path: string) => {
    const found = path.split('.').filter(Boolean).reduce(member, value);
    return json || typeof found === 'object'
      ? JSON.stringify(found ?? null)
      : String(found as string | number | boolean);
  });
}

export function optionOf(words: readonly string[], name: string): string | undefined {
  const joined = words.find((word) => word.startsWith(`${name}=`));
  if (joined) return joined.slice(name.length + 1);
  const at = words.indexOf(name);
  return at < 0 ? undefined : words[at + 1];
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
