import type { Finding } from '../../cluster/finding.ts';
import { type CleanLine, lineCleaner } from '../../cluster/logs/clean-lines.ts';
import { plainCause, type PlainCause } from '../../cluster/logs/error-lines.ts';
import type { EngineState } from '../../cluster/logs/follow.ts';
import { withoutPrompts } from '../../cluster/logs/without-prompts.ts';
import type { OurContainer } from '../../cluster/probes/containers.ts';
import { run } from '../../cluster/remote/command.ts';
import { endedWorker } from './ended-worker.ts';
import { lastWords } from './ensure-container.ts';
import type { PhaseContext } from './phase.ts';

const TAIL_LINES = 300;

/** How an engine ended, by what is left of its container. */
export function endOf(own: OurContainer | undefined): EngineState {
  if (!own) return { state: 'gone' };
  if (!own.running) return { state: 'stopped', code: own.exitCode, outOfMemory: own.outOfMemory };
  return own.serveExit === undefined ? { state: 'lost' } : { state: 'exited', code: own.serveExit };
}

/** Why an engine that should live does not. `log`: what was read of its log; otherwise its end is read now. */
export async function endedFinding(
  ctx: PhaseContext,
  end: EngineState,
  { log, stage }: { log?: readonly CleanLine[]; stage?: string } = {},
): Promise<Finding> {
  const [head] = ctx.machines;
  const { name, paths } = head.node;
  const lines = log ?? (await tail(ctx));
  const ended = whatEnded(end, name);
  const what = `${ended}${stage === undefined ? '' : ` in step ${stage}`}`;
  const remedy = `The whole log: ${paths.run}/serve.log on ${name}.`;
  const short = `${ended.charAt(0).toLowerCase()}${ended.slice(1)}`;
  // Without a word of the engine's the container may have said something.
  if (lines.length === 0) return { text: `${what}.`, short, node: name, lines: await lastWords(head), remedy };

  const nodeOf = (ip: string) => ctx.plan.nodes.find((node) => node.fabric.address === ip)?.name;
  const cause = plainCause(lines, nodeOf);
  const lostActor =
    cause.ip === undefined && /ActorDiedError|ActorUnavailableError|RayActorError/.test(cause.exception ?? '');
  const worker = lostActor ? await endedWorker(ctx) : undefined;
  if (worker) {
    const told = whatEnded(endOf(worker.own), worker.node);
    const text = `${told}, and the engine went with it. ${cause.text}`;
    return { text, short: told, node: worker.node, lines: cause.lines, remedy };
  }
  const node = cause.ip === undefined ? name : (nodeOf(cause.ip) ?? name);
  const where = cause.ip === undefined ? '' : `${node}: `;
  return {
    text: `${what}: ${where}${cause.text}`,
    short: shortOf(cause, node) ?? short,
    node,
    lines: cause.lines,
    remedy: outOfGpuMemory(cause) ? `See what else uses memory on ${node}. ${remedy}` : remedy,
  };
}

function shortOf(cause: PlainCause, node: string): string | undefined {
  if (outOfGpuMemory(cause)) return `${node} ran out of GPU memory`;
  return cause.exception === undefined ? undefined : `${node}: ${cause.exception.replace(/^.*\./, '')}`;
}

function outOfGpuMemory({ text }: PlainCause): boolean {
  return /OutOfMemoryError|CUDA out of memory/.test(text);
}

async function tail({ machines: [head] }: PhaseContext): Promise<CleanLine[]> {
  const { stdout } = await head.read(run('tail', '-n', TAIL_LINES, `${head.node.paths.run}/serve.log`));
  const lines = stdout.replace(/\n$/, '').split('\n');
  return lineCleaner()(`${withoutPrompts(lines, { cut: lines.length >= TAIL_LINES }).join('\n')}\n`);
}

function whatEnded(end: EngineState, node: string): string {
  switch (end.state) {
    case 'alive':
      return 'The engine still runs';
    case 'exited':
      return end.code.startsWith('signal ')
        ? `The engine was killed by ${end.code}`
        : `The engine ended with code ${end.code}`;
    case 'lost':
      return 'The engine is gone without a word';
    case 'stopped':
      return `The container on ${node} ended with code ${end.code}${end.outOfMemory ? ', out of memory' : ''}`;
    case 'restarted':
      return `The container on ${node} was restarted, and the engine went with it`;
    case 'gone':
      return `The container on ${node} was removed by someone else`;
  }
}
