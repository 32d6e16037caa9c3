import { createHash } from 'node:crypto';
import type { ServerHostKeyAlgorithm } from 'ssh2';
import type { Cluster } from '../../config/cluster-file.ts';
import { OperatorError } from '../../errors.ts';
import { knownKeys } from './known-hosts.ts';
import { expandHome, type ReadFile } from './local-file.ts';
import { placeOf, sshWords, type Route } from './route.ts';

export interface HostKeys {
  /** What to ask the server for. Never ssh-rsa, which signs with SHA-1. */
  algorithms: ServerHostKeyAlgorithm[];
  /** Undefined when the offered key is right, else the refusal for people. */
  judge: (key: Buffer) => OperatorError | undefined;
  /** The refusal when the server has no key of the known types at all. */
  noneOffered: () => OperatorError;
}

const STRONG: ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

/** Which host keys are right for a node: its pinned one, else those of the known_hosts file, else none. */
export async function hostKeysFor(route: Route, ssh: Cluster['ssh'], readFile: ReadFile): Promise<HostKeys> {
  const pinned = route.node.host_key;
  if (pinned) {
    return hostKeys(route, STRONG, `${pinned} (host_key of ${route.node.name})`, (key) => fingerprint(key) === pinned);
  }
  if (ssh.known_hosts === undefined) {
    return hostKeys(route, STRONG, 'nothing: neither host_key nor ssh.known_hosts is set', () => false);
  }
  return fromFile(route, ssh.known_hosts, await readKnownHosts(route, ssh.known_hosts, readFile));
}

/** As `ssh-keygen -lf` prints it. */
function fingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

function fromFile(route: Route, file: string, text: string): HostKeys {
  const { keys, revoked } = knownKeys(text, route.node.address, route.node.port);
  const usable = keys.filter(({ key }) => !revoked.includes(key));
  const types = new Set(usable.flatMap(({ type }) => (type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [type])));
  const algorithms = STRONG.filter((algorithm) => types.has(algorithm));
  const known = usable.map(({ type, key }) => `${type} ${fingerprint(Buffer.from(key, 'base64'))}`);
  const expected =
    known.length > 0 ? `${known.join(' or ')} (${file})` : `nothing: ${file} has no key for this address`;
  return hostKeys(route, algorithms.length > 0 ? algorithms : STRONG, expected, (key) =>
    usable.some((each) => each.key === key.toString('base64')),
  );
}

function hostKeys(
  route: Route,
  algorithms: ServerHostKeyAlgorithm[],
  expected: string,
  isRight: (key: Buffer) => boolean,
): HostKeys {
  const refuse = (offered: string, type: string) =>
    new OperatorError(
      'host-key',
      `${placeOf(route)}: its host key is not known to be right. Offered: ${offered}. Expected: ${expected}.`,
      {
        hint: whatToDo(route, type),
        node: route.node.name,
        short: `${route.node.name} shows another host key`,
      },
    );
  return {
    algorithms,
    judge: (key) => (isRight(key) ? undefined : refuse(`${typeOf(key)} ${fingerprint(key)}`, typeOf(key))),
    noneOffered: () => refuse(`no key of the type ${algorithms.join(', ')}`, algorithms[0] ?? 'ssh-ed25519'),
  };
}

function whatToDo({ node, cluster }: Route, type: string): string {
  const file = type.startsWith('ecdsa') ? 'ecdsa' : type.includes('rsa') ? 'rsa' : 'ed25519';
  return (
    `On the console of ${node.name} run: ssh-keygen -lf /etc/ssh/ssh_host_${file}_key.pub. ` +
    `If it prints the offered fingerprint, put it into host_key of ${node.name} in clusters/${cluster}.yaml. ` +
    `If not, something else answers at ${node.address}: don't connect to it.`
  );
}

// An SSH public key begins with its type as a string: 4 bytes of length, then the text (RFC 4253, 6.6).
function typeOf(key: Buffer): string {
  return key.length < 4 ? 'unknown' : key.subarray(4, 4 + key.readUInt32BE(0)).toString('latin1');
}

async function readKnownHosts(route: Route, file: string, readFile: ReadFile): Promise<string> {
  try {
    return await readFile(expandHome(file));
  } catch (cause) {
    throw new OperatorError('host-key', `${placeOf(route)}: the known hosts file ${file} can't be read`, {
      hint: `Make it with: ssh-keyscan ${route.node.address} (and compare the keys on the console), or log in once by hand: ${sshWords(route)}`,
      node: route.node.name,
      cause,
    });
  }
}
