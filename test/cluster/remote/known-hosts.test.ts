import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { knownKeys } from '../../../src/cluster/remote/known-hosts.ts';

const salt = Buffer.alloc(20, 7);
const hash = createHmac('sha1', salt).update('[hidden]:2222').digest('base64');
const FILE = `
# comment
spark1,10.1.230.180 ssh-ed25519 AAAAed comment here
10.1.230.180 ecdsa-sha2-nistp256 AAAAec
[10.1.230.180]:2222 ssh-rsa AAAArsa
|1|${salt.toString('base64')}|${hash} ssh-ed25519 AAAAhidden
@revoked 10.1.230.180 ssh-ed25519 AAAAbad
@cert-authority 10.1.230.180 ssh-ed25519 AAAAca
*.example.com,!bad.example.com ssh-ed25519 AAAAwild
broken-line
`;

test.each([
  ['10.1.230.180', 22, ['AAAAed', 'AAAAec'], ['AAAAbad']],
  ['SPARK1', 22, ['AAAAed'], []],
  ['10.1.230.180', 2222, ['AAAArsa'], []],
  ['hidden', 2222, ['AAAAhidden'], []],
  ['hidden', 22, [], []],
  ['10.1.230.1', 22, [], []],
  ['a.example.com', 22, [], []],
])('%s port %i', (address, port, keys, revoked) => {
  const known = knownKeys(FILE, address, port);
  expect(known.keys.map(({ key }) => key)).toEqual(keys);
  expect(known.revoked).toEqual(revoked);
});
