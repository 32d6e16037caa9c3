import { OperatorError } from '../errors.ts';

export interface Tokens {
  /** xoxb-... */
  bot: string;
  /** xapp-..., with connections:write. Left out where Slack calls a URL. */
  app?: string;
}

/** A real token never goes to another host than Slack's: other base URLs are for the tokens of a local Slack. */
export function checkSlackUrl(url: string | undefined, tokens: Tokens): void {
  if (url === undefined || isSlacks(url)) return;
  if (tokens.bot.startsWith('xoxb-local-') && (tokens.app ?? 'xapp-local-').startsWith('xapp-local-')) return;
  throw new OperatorError(
    'config',
    `The Slack base URL ${shortened(url)} is not Slack's, and the tokens are not a local Slack's`,
    {
      hint: 'Leave the base URL out to reach Slack itself; it is only for tests against a local Slack.',
    },
  );
}

/** Over TLS, at one of Slack's own hosts. */
export function isSlacks(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === 'https:' && (url.hostname === 'slack.com' || url.hostname.endsWith('.slack.com'));
}

function shortened(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : `"${url.slice(0, 60)}"`;
}
