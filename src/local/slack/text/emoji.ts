import { emojiData } from 'slack-to-html/emoji';

/** Slack's short names as characters; unknown ones stay as they are. */
export function withEmoji(text: string): string {
  return text.replace(/:([a-z0-9_+'-]+):(?::skin-tone-[2-6]:)?/g, (whole, name: string) => {
    const points = Object.hasOwn(emojiData, name) ? emojiData[name] : undefined;
    return points === undefined
      ? whole
      : String.fromCodePoint(...points.split('-').map((point) => parseInt(point, 16)));
  });
}
