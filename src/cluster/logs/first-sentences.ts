/** As many whole sentences as fit into `max` characters; of a first one that is longer, its beginning. */
export function firstSentences(text: string, max: number): string {
  if (text.length <= max) return text;
  const ends = [...text.slice(0, max).matchAll(/[.!?](?=\s)/g)].map(({ index }) => index + 1);
  const end = ends.at(-1);
  if (end !== undefined && end > max / 4) return text.slice(0, end);
  return `${text.slice(0, max - 1).replace(/\s+\S*$/, '')}…`;
}
