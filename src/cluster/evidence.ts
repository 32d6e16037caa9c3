import { OperatorError } from '../errors.ts';
import { keepEvidence } from './docker.ts';
import { withoutPrompts } from './logs/without-prompts.ts';
import type { Machine } from './machine.ts';
import { parseSections, type Sections } from './probes/sections.ts';
import { run } from './remote/command.ts';
import type { Http } from './remote/http.ts';
import { withLimit } from './remote/limit.ts';
import { programText } from './remote/programs.ts';

/** What is about to be removed. */
export interface EvidenceRequest {
  /** Head first. */
  machines: readonly [Machine, ...Machine[]];
  uid: string;
  /** Its container, by node. */
  containers: ReadonlyMap<string, string>;
  /** To its engine. Undefined: nobody knows where it listens. */
  http: Http | undefined;
  signal: AbortSignal;
  now: Date;
}

export interface Evidence {
  /** On the head. */
  folder: string;
  /** "stacks of spark1 (the image has no py-spy)". */
  missing: readonly string[];
}

// Together 20 s. A node has 4 s for each part; what it has said by the limit is kept.
const READ_MS = 13_000;
const KEEP_MS = 6_500;
const MOST_LINES = 20_000;
const LOGS = new Set(['# log', '# container-log']);
/** With fewer evidence.sh has sent a log from its beginning. */
const LOG_LINES = 100;
/** In the order in which people look for them. */
const PARTS = ['stacks', 'container-log', 'inspect', 'nvidia-smi', 'dmesg', 'memory'];

/**
 * Saves what a removal would destroy to STATE/evidence/UID-TIME on the head: one file a node, and the engine's metrics.
 * Ends within 20 s. Rejects with an OperatorError when nothing could be saved.
 */
export async function saveEvidence(request: EvidenceRequest): Promise<Evidence> {
  const { machines, uid, containers, signal, now } = request;
  const [metrics, ...nodes] = await Promise.all([
    readMetricsPage(request),
    ...machines.flatMap((machine) => {
      const name = containers.get(machine.node.name);
      return name === undefined ? [] : [readNode(machine, { container: name, uid, signal })];
    }),
  ]);
  const files = [
    ...nodes.map(({ node, lines }) => ({ name: `${node}.txt`, lines })),
    ...(metrics === undefined ? [] : [{ name: 'metrics.txt', lines: metrics.split('\n') }]),
  ];
  const [head] = machines;
  const folder = await keep(head, { name: `${uid}-${timestamp(now)}`, files, signal });
  const missing = nodes.flatMap(({ node, lines }) => {
    // The engine's own log is in the head's run folder.
    const parts = node === head.node.name ? ['log', ...PARTS] : PARTS;
    return missingOn(node, parts, parseSections(lines.join('\n')));
  });
  return { folder, missing: [...(metrics === undefined ? ['metrics (the engine does not answer)'] : []), ...missing] };
}

interface File {
  name: string;
  lines: readonly string[];
}

async function keep(
  head: Machine,
  { name, files, signal }: { name: string; files: readonly File[]; signal: AbortSignal },
): Promise<string> {
  const stdin = files.map((file) => `file ${file.name}\n${file.lines.map((line) => ` ${line}\n`).join('')}`).join('');
  const limits = { signal, limitMs: KEEP_MS, late: () => late(head) };
  const { exitCode, stdout, stderr } = await withLimit(limits, () =>
    head.change(keepEvidence(head.node, name), { stdin }),
  );
  if (exitCode === 0) return stdout.trim();
  throw new OperatorError('command-failed', `${head.node.name} could not save the evidence.`, {
    hint: `Is its disk full? On ${head.node.name}: df -h ${head.node.paths.state}`,
    lines: stderr.trim().split('\n').slice(-5),
    node: head.node.name,
  });
}

async function readNode(
  machine: Machine,
  { container, uid, signal }: { container: string; uid: string; signal: AbortSignal },
): Promise<{ node: string; lines: readonly string[] }> {
  const { name, paths } = machine.node;
  const lines: string[] = [];
  const command = run('sh', '-s', '--', container, `${paths.state}/runs/${uid}`);
  const stdin = programText('node-facts.sh') + programText('evidence.sh');
  const onLine = (line: string): void => {
    if (lines.length < MOST_LINES) lines.push(line);
  };
  try {
    await withLimit({ signal, limitMs: READ_MS, late: () => late(machine) }, () =>
      machine.read(command, { stdin, onLine, keep: false }),
    );
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof OperatorError)) throw error;
    lines.push(`# end`, ` ${error.message}`);
  }
  return { node: name, lines: withoutUsersWords(lines) };
}

/** The parts that hold an engine's words, without what users asked or were answered. */
function withoutUsersWords(lines: readonly string[]): readonly string[] {
  const starts = lines.flatMap((line, at) => (line.startsWith('# ') ? [at] : []));
  return [0, ...starts].flatMap((from, index) => {
    const part = lines.slice(from, starts[index]);
    const [head = ''] = part;
    if (!LOGS.has(head)) return part;
    const rc = part.findLastIndex((line) => line.startsWith(' rc='));
    const end = rc < 0 ? part.length : rc;
    const said = part.slice(1, end).map((line) => line.slice(1));
    const kept = withoutPrompts(said, { cut: said.length >= LOG_LINES }).map((line) => ` ${line}`);
    return [head, ...kept, ...part.slice(end)];
  });
}

async function readMetricsPage({ http, signal }: EvidenceRequest): Promise<string | undefined> {
  try {
    const answer = await http?.request({ method: 'GET', path: '/metrics', signal, limitMs: 5_000 });
    return answer?.status === 200 ? answer.body : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OperatorError) return undefined;
    throw error;
  }
}

function missingOn(node: string, parts: readonly string[], sections: Sections): string[] {
  return parts.flatMap((part) => {
    const { exitCode, lines } = sections.get(part);
    if (exitCode === 0) return [];
    const why = lines[0]?.trim().slice(0, 80);
    return [`${part} of ${node}${why ? ` (${why})` : ''}`];
  });
}

function late({ node }: Machine): OperatorError {
  return new OperatorError('timeout', `${node.name} did not give its evidence in time.`, {
    hint: `Is it busy? Look at it: ssh to ${node.address}`,
    node: node.name,
  });
}

/** 20261201T024501Z */
function timestamp(at: Date): string {
  return at.toISOString().replace(/[-:]|\.\d+/g, '');
}
