import { expect, test } from 'vitest';
import { dockerReason, dockerWords } from '../../src/cluster/docker-reason.ts';

const HELP = "\nRun 'docker run --help' for more information\n";
const TASK =
  'docker: Error response from daemon: failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ';

test.each([
  [
    `${TASK}error during container init: exec: "ray": executable file not found in $PATH: unknown${HELP}`,
    { text: 'the image has no program ray', short: 'the image has no program ray' },
  ],
  [
    'docker: Error response from daemon: No such image: x:1',
    { text: 'the image is not there', short: 'spark1 lacks the image' },
  ],
  [
    'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]]',
    { text: 'Docker can give it no GPU (NVIDIA container toolkit)', short: 'Docker on spark1 has no GPU' },
  ],
  [
    'docker: Error response from daemon: error gathering device information while adding custom device "/dev/infiniband": no such file or directory',
    { text: 'the node has no device /dev/infiniband', short: 'spark1 lacks /dev/infiniband' },
  ],
  [
    'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
    { text: 'Docker does not run there', short: "Docker on spark1 doesn't run" },
  ],
  [`docker: Error response from daemon: something new.${HELP}`, { text: 'something new' }],
  ['', { text: 'it gave no reason' }],
])('%s', (stderr, reason) => {
  expect(dockerReason(stderr, 'spark1')).toEqual(reason);
});

test('a reason that nobody knows is cut, the lines beside it are whole and without advice', () => {
  const stderr = `docker: Error response from daemon: ${'because '.repeat(60)}${HELP}`;
  expect(dockerReason(stderr, 'spark1').text.length).toBeLessThanOrEqual(200);
  expect(dockerWords(stderr)).toEqual([`docker: Error response from daemon: ${'because '.repeat(60)}`]);
});
