import { containerLogs } from '../../cluster/docker.ts';
import { pickLines } from '../../cluster/logs/pick-lines.ts';
import { withoutPrompts } from '../../cluster/logs/without-prompts.ts';
import { run } from '../../cluster/remote/command.ts';
import type { ExecResult } from '../../cluster/remote/transport.ts';
import { OperatorError } from '../../errors.ts';
import type { LogExcerpt } from '../jobs.ts';
import { readStatus, stateFolder } from './look-at-node.ts';
import type { LogLook } from './look-requests.ts';
import type { Looking } from './run-look.ts';

/** The engine's own file where it is, else what the container printed. */
export async function lookAtLogs(looking: Looking, request: LogLook): Promise<LogExcerpt> {
  const { deployment } = request;
  const searched = request.grep === undefined && request.sinceMs === undefined ? undefined : SEARCHED;
  const lines = (searched ?? request.lines) + BEFORE;
  const shown = (text: string) => ({
    lines: lastOf(pickLines(readable(text, lines), { ...request, now: looking.now() }), request.lines),
    ...(searched !== undefined && { searched }),
  });
  const { signal, limitMs } = looking;
  const config = await looking.config();
  const cluster = config.clusters.get(request.cluster);
  if (!cluster)
    throw new OperatorError('unknown-name', `There is no cluster ${request.cluster}.`, { hint: 'See status.' });
  const wanted = request.node ?? deployment?.head ?? 'head';
  const node =
    cluster.nodes.find(({ name }) => name === wanted) ??
    cluster.nodes.find(({ role }) => role === wanted) ??
    (request.node === undefined ? cluster.nodes[0] : undefined);
  if (!node) {
    const names = cluster.nodes.map(({ name }) => name).join(', ');
    throw new OperatorError('unknown-name', `${cluster.name} has no node ${wanted ?? ''}.`, {
      hint: `It has: ${names}.`,
    });
  }
  const transport = looking.transports.to(cluster);
  const exec = (command: Parameters<typeof transport.exec>[1]) =>
    transport.exec(node.name, command, { signal, limitMs });
  const excerpt = { cluster: cluster.name, node: node.name };

  if (deployment) {
    const numbered = { ...excerpt, number: deployment.number };
    const folder = `${stateFolder(cluster, node)}/runs/${deployment.uid}`;
    const file = await exec(run('tail', '-n', lines, '--', `${folder}/serve.log`));
    if (file.exitCode === 0 && file.stdout !== '') {
      return { ...numbered, source: 'the engine', ...shown(file.stdout) };
    }
    const container = `sparkops-${deployment.uid}-${node.name}`;
    const logs = await exec(containerLogs(container, lines));
    if (logs.exitCode === 0) return { ...numbered, source: `container ${container}`, ...shown(both(logs)) };
    return { ...numbered, source: '', lines: [], nothing: noLog(deployment, node.name) };
  }

  const { containers } = await readStatus({ ...looking, realm: config.sparkops.name, cluster, node, transport });
  const [container] = containers.toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
  if (!container) {
    const nothing = `Nothing runs on ${cluster.name}, and no deployment is recorded.`;
    return { ...excerpt, source: '', lines: [], nothing };
  }
  const logs = await exec(containerLogs(container.name, lines));
  return { ...excerpt, source: `container ${container.name}`, ...shown(both(logs)) };
}

/** An answer holds at most 100 KB: the end counts. */
const MAX_ANSWER = 100_000;
/** Of the log's end, when certain lines are asked for. */
const SEARCHED = 5_000;
/** Read before what is asked for: they tell whether its first lines belong to what a user asked. */
const BEFORE = 300;

/** What a user asked or was answered is nobody's to read or to search; `asked`: so many lines were asked for. */
function readable(text: string, asked: number): readonly string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  return withoutPrompts(lines, { cut: lines.length >= asked });
}

function lastOf(lines: readonly string[], count: number): readonly string[] {
  const text = lines.slice(-count).join('\n').slice(-MAX_ANSWER);
  return text === '' ? [] : text.split('\n');
}

function both({ stdout, stderr }: ExecResult): string {
  return stdout + stderr;
}

function noLog({ number, head, ended }: NonNullable<LogLook['deployment']>, node: string): string {
  if (ended && node !== head) return `#${number} left no log on ${node}: what is kept of it is on ${head}.`;
  return ended
    ? `#${number} left no log on ${node}: it ended before its engine was started, and its container is removed.`
    : `#${number} has no log on ${node} yet: its engine is not started.`;
}
