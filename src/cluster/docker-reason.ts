import { firstSentences } from './logs/first-sentences.ts';

export interface DockerReason {
  text: string;
  /** Set when the reason is one that is known. */
  short?: string;
}

/** What Docker's words mean. `$1` and `{node}` are filled in. */
const KNOWN: readonly { pattern: RegExp; text: string; short: string }[] = [
  {
    pattern: /exec: "([^"]+)": (?:executable file not found|stat .*no such file)/,
    text: 'the image has no program $1',
    short: 'the image has no program $1',
  },
  { pattern: /No such image|Unable to find image/i, text: 'the image is not there', short: '{node} lacks the image' },
  {
    pattern: /could not select device driver|nvidia-container-cli|unknown or invalid runtime name: nvidia/,
    text: 'Docker can give it no GPU (NVIDIA container toolkit)',
    short: 'Docker on {node} has no GPU',
  },
  {
    pattern: /error gathering device information while adding custom device "([^"]+)"/,
    text: 'the node has no device $1',
    short: '{node} lacks $1',
  },
  {
    pattern: /permission denied while trying to connect to the Docker daemon/i,
    text: 'the user may not use Docker there',
    short: 'no right to Docker on {node}',
  },
  {
    pattern: /Cannot connect to the Docker daemon/i,
    text: 'Docker does not run there',
    short: "Docker on {node} doesn't run",
  },
  { pattern: /no space left on device/i, text: 'the disk is full', short: 'the disk of {node} is full' },
];

/** Why Docker refused, in plain words if they are known, else its own: around them it says how to get help. */
export function dockerReason(stderr: string, node: string): DockerReason {
  for (const { pattern, text, short } of KNOWN) {
    const match = pattern.exec(stderr);
    if (!match) continue;
    const fill = (words: string) => words.replace('$1', match[1] ?? '').replace('{node}', node);
    return { text: fill(text), short: fill(short) };
  }
  const lines = dockerWords(stderr);
  const reason = lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? 'it gave no reason';
  return {
    text: firstSentences(
      reason
        .replace(/^docker: /, '')
        .replace(/^Error response from daemon: /, '')
        .replace(/\.$/, ''),
      200,
    ),
  };
}

/** What Docker said, without its advice on how to get help. */
export function dockerWords(stderr: string): string[] {
  return stderr.split('\n').filter((line) => line.trim() !== '' && !/^(?:Run|See) 'docker/.test(line));
}
