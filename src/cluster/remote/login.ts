import ssh2 from 'ssh2';
import type { Cluster } from '../../config/cluster-file.ts';
import { OperatorError } from '../../errors.ts';
import { expandHome, type ReadFile } from './local-file.ts';
import { placeOf, sshWords, type Route } from './route.ts';

export interface Login {
  username: string;
  privateKey?: string;
  agent?: string;
}

/** What to log in with: the cluster's key file, the agent, or both. Rejects with 'login' when there is nothing usable. */
export async function loginFor(
  route: Route,
  ssh: Cluster['ssh'],
  options: { readFile: ReadFile; agentSocket?: string | undefined },
): Promise<Login> {
  const refuse = (what: string, hint: string, cause?: unknown) =>
    new OperatorError('login', `${placeOf(route)}: ${what}`, { hint, cause, node: route.node.name });
  const login: Login = { username: ssh.user };

  if (ssh.agent) {
    if (!options.agentSocket)
      throw refuse('no SSH agent runs here', 'Start the bot with SSH_AUTH_SOCK set, or set ssh.key.');
    login.agent = options.agentSocket;
  }
  if (ssh.key === undefined) {
    if (ssh.agent) return login;
    throw refuse('no way to log in is configured', `Set ssh.key or ssh.agent: true in clusters/${route.cluster}.yaml.`);
  }

  login.privateKey = await options.readFile(expandHome(ssh.key)).catch((cause: unknown) => {
    throw refuse(
      `the key ${ssh.key} can't be read`,
      'Check ssh.key: the path, and that the bot may read the file.',
      cause,
    );
  });
  const parsed = ssh2.utils.parseKey(login.privateKey);
  if (!(parsed instanceof Error)) return login;
  if (/encrypted|passphrase/i.test(parsed.message)) {
    throw refuse(
      `the key ${ssh.key} is locked by a passphrase`,
      `Load it into an agent (ssh-add ${ssh.key}) and set ssh.agent: true instead of ssh.key, or use a key without a passphrase.`,
    );
  }
  throw refuse(`${ssh.key} holds no private key`, 'ssh.key names the private key, not the .pub file.', parsed);
}

export function loginRefused(route: Route, ssh: Cluster['ssh'], cause: unknown): OperatorError {
  const what = ssh.key ?? 'any key of the agent';
  return new OperatorError('login', `${placeOf(route)}: does not let user ${ssh.user} in with ${what}`, {
    hint: `Try: ${sshWords({ ...route, user: ssh.user })}  The public key belongs into ~${ssh.user}/.ssh/authorized_keys on ${route.node.name}.`,
    node: route.node.name,
    short: `${route.node.name} refuses the login`,
    cause,
  });
}
