import { OperatorError } from '../../errors.ts';
import { placeOf, sshWords, type Route } from './route.ts';

/** The node was not reached: nothing was started there. */
export function unreachable(route: Route, what: string, cause?: unknown): OperatorError {
  return new OperatorError('unreachable', `${placeOf(route)}: ${what}`, {
    hint: `On the bot's host try: ${sshWords(route)} true`,
    node: route.node.name,
    short: `${route.node.name}: ${what}`,
    cause,
  });
}

/** Started, perhaps, and its end was not seen. */
export function outcomeUnknown(route: Route, what: string, cause?: unknown): OperatorError {
  return new OperatorError('outcome-unknown', `${placeOf(route)}: ${what}`, {
    hint: `The command may have run or still be running: look at the node before repeating it.`,
    node: route.node.name,
    cause,
  });
}

export function failedThere(route: Route, what: string, hint: string, cause?: unknown): OperatorError {
  return new OperatorError('command-failed', `${placeOf(route)}: ${what}`, { hint, node: route.node.name, cause });
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'no route to its network',
  EHOSTDOWN: 'the host is down',
  ENOTFOUND: 'its name is not known here',
  EAI_AGAIN: 'the name server does not answer',
};

/** A network failure in words. */
export function inWords(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (WORDS[code]) return WORDS[code];
  // A node's own refusal to forward: "(SSH) Channel open failure: Connection refused".
  const text = error instanceof Error ? error.message : String(error);
  const bare = text
    .replace(/^\(SSH\) Channel open failure: ?/, '')
    .replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  return bare || 'refused';
}

/** Why a channel was not opened (RFC 4254, 5.1): 1 prohibited, 2 connect failed or no session free, 3 unknown type, 4 shortage. */
export function openFailure(error: unknown): number | undefined {
  return error instanceof Error && 'reason' in error && typeof error.reason === 'number' ? error.reason : undefined;
}
