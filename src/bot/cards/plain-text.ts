/** Mrkdwn as a terminal shows it: Slack's dates, mentions and escapes undone. */
export function plainText(mrkdwn: string): string {
  return mrkdwn
    .replace(/<!date\^[^|>]*\|([^>]*)>/g, '$1')
    .replace(/<([@#])([A-Z0-9]+)(?:\|[^>]*)?>/g, '$1$2')
    .replace(/<!subteam\^([A-Z0-9]+)(?:\|[^>]*)?>/g, '@$1')
    .replace(/<([^|>]+)\|([^>]*)>/g, '$2')
    .replace(/&(amp|lt|gt);/g, (_, name: 'amp' | 'lt' | 'gt') => ({ amp: '&', lt: '<', gt: '>' })[name])
    .replaceAll('\u200b', '');
}
