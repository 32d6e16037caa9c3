import { dockerReason } from '../../../src/cluster/docker-reason.ts';
import { removeContainers } from '../../../src/cluster/docker.ts';
import type { Plan } from '../../../src/cluster/plan.ts';
import { lookAtContainers } from '../../../src/cluster/probes/containers.ts';
import { type NodeFacts, readNodeFacts } from '../../../src/cluster/probes/preflight/facts.ts';
import { run, type Exec } from '../../../src/cluster/remote/command.ts';
import { programText } from '../../../src/cluster/remote/programs.ts';
import type { Transport } from '../../../src/cluster/remote/transport.ts';
import type { Cluster } from '../../../src/config/cluster-file.ts';
import { OperatorError } from '../../../src/errors.ts';
import { readRecords, readStatus } from '../../../src/jobs/looks/look-at-node.ts';
import { PHASES } from '../../../src/jobs/phases/all.ts';
import { deployByHand } from '../../support/deploy-by-hand.ts';
import { eventually } from '../../support/place.ts';

/** By what was sent: the exit codes that came back. */
export type Answers = Record<string, number[]>;

const STDIN_PROGRAMS = ['preflight', 'containers', 'status', 'follow', 'raise'].map((name) => `${name}.sh`);

/** Passes all on, and remembers which command ended how. */
export function recorded(transport: Transport, answers: Answers): Transport {
  return {
    ...transport,
    async exec(node, command, options) {
      const result = await transport.exec(node, command, options);
      const words = command.kind === 'exec' ? command.words.map(String) : [command.kind];
      const codes = (answers[nameOf(words, options.stdin)] ??= []);
      if (!codes.includes(result.exitCode)) codes.push(result.exitCode);
      return result;
    },
  };
}

function nameOf(words: readonly string[], stdin: unknown): string {
  const own = words.includes('timeout') ? words.slice(words.indexOf('timeout') + 4) : words;
  const sent = typeof stdin === 'string' ? STDIN_PROGRAMS.find((name) => stdin.endsWith(programText(name))) : undefined;
  const program = own.find((word) => /\/programs-\w+\/\w/.test(word))?.replace(/^.*\//, '');
  return sent ?? program ?? own.slice(0, own[0] === 'docker' ? 2 : 1).join(' ');
}

/** One deploy with all that is looked at meanwhile; what every reader made of it, as shapes. */
export async function lifeOfADeploy(plan: Plan, cluster: Cluster, transport: Transport, signal: AbortSignal) {
  const { phase, ctx } = await deployByHand({ plan, transport, number: 141, signal });
  const verdicts: string[] = [];
  for (const name of plan.phases) {
    const verdict = await phase(name);
    verdicts.push(`${name} ${verdict.state}${verdict.state === 'blocked' ? `: ${verdict.finding.text}` : ''}`);
  }
  const looks: Record<string, unknown> = {};
  for (const machine of ctx.machines) {
    const { name } = machine.node;
    const node = cluster.nodes.find((each) => each.name === name);
    if (!node) throw new Error(`${name} is not in the cluster`);
    const look = { realm: plan.realm, cluster, node, transport, signal, limitMs: 30_000 };
    looks[name] = shapeOf({
      facts: withoutOrigin(await readNodeFacts(machine, plan)),
      containers: await lookAtContainers(machine, { realm: plan.realm, records: true }),
      status: await readStatus(look),
      records: await readRecords(look),
    });
  }
  const file = await transport.exec(
    plan.nodes[0].name,
    run('tail', '-n', 5, '--', `${plan.nodes[0].paths.run}/serve.log`),
    { signal, limitMs: 30_000 },
  );
  await phase('stop');
  for (const name of plan.phases.toReversed()) await PHASES[name].undo?.(ctx);
  return { verdicts, looks, logs: file.exitCode };
}

/** A deploy whose worker is started with a command that Ray doesn't know: it ends, and what it said is read. */
export async function endOfAWorker(plan: Plan, transport: Transport, signal: AbortSignal) {
  const [head, ...workers] = plan.nodes;
  const wrong = workers.map((node) => ({ ...node, container: { ...node.container, args: ['nothing'] } }));
  const { phase, ctx } = await deployByHand({
    plan: { ...plan, nodes: [head, ...wrong] },
    transport,
    number: 142,
    signal,
  });
  for (const name of plan.phases.slice(0, plan.phases.indexOf('verify-ray'))) await phase(name);
  const verdict = await phase('verify-ray');
  for (const name of plan.phases.toReversed()) await PHASES[name].undo?.(ctx);
  if (verdict.state !== 'blocked') return verdict.state;
  const { text, lines, node } = verdict.finding;
  return { text, node, last: lines.at(-1) };
}

/** A deploy that is cancelled while it loads: nothing of it may begin any more, and all of it is undone, twice. */
export async function cancelWhileLoading(plan: Plan, transport: Transport, signal: AbortSignal) {
  const cancel = new AbortController();
  const either = AbortSignal.any([signal, cancel.signal]);
  const { phase, progress } = await deployByHand({ plan, transport, number: 143, signal: either });
  const late = await deployByHand({ plan, transport, number: 143, signal });
  for (const name of plan.phases.slice(0, plan.phases.indexOf('load'))) await phase(name);
  const load = phase('load').catch((error: unknown) => String(error));
  await eventually('it loads', 60_000, () => progress.length > 0);
  cancel.abort(new Error('cancelled'));
  const ended = await load;

  const { ctx } = await deployByHand({ plan, transport, number: 144, signal });
  const codes = late.ctx.machines.map((machine) => machine.change(run('true')).catch(codeOf));
  const refused = await Promise.all(codes);
  const left: string[] = [];
  for (const _time of ['once', 'twice']) {
    for (const name of plan.phases.toReversed()) await PHASES[name].undo?.(ctx);
    for (const machine of ctx.machines) {
      left.push(...(await lookAtContainers(machine, { realm: plan.realm })).containers.map(({ name }) => name));
    }
  }
  return { ended, refused, left };
}

function codeOf(error: unknown): string {
  return error instanceof OperatorError ? error.code : String(error);
}

/** What Docker refuses, in the words that we know it by. */
export async function refusalsOf(plan: Plan, transport: Transport, signal: AbortSignal) {
  const [{ name: node }] = plan.nodes;
  const ask = async (command: Exec) => {
    const { exitCode, stdout, stderr } = await transport.exec(node, command, { signal, limitMs: 60_000 });
    return { exitCode, silent: stdout.replace('[]', '').trim() === '', known: knownWords(stderr) };
  };
  const start = (entrypoint: string, image: string) =>
    run('docker', 'run', '-d', '--pull=never', '--name', 'by-hand', '--entrypoint', entrypoint, image, '600');
  const answers = {
    inspectMissing: await ask(run('docker', 'inspect', '--format', '{{json .}}', 'nobody')),
    imageMissing: await ask(run('docker', 'image', 'inspect', '--format', '{{json .}}', 'no-image:1')),
    removeMissing: await ask(removeContainers(['nobody'])),
    logsMissing: await ask(run('docker', 'logs', '--tail', 5, 'nobody')),
    topMissing: await ask(run('docker', 'top', 'nobody', '-eo', 'pid,args')),
    execMissing: await ask(run('docker', 'exec', '-i', 'nobody', 'python3', '-')),
    runMissingImage: await ask(start('sleep', 'no-image:1')),
    runMissingProgram: await ask(start('no-program', plan.image)),
    runConflict: await ask(start('sleep', plan.image)),
    removed: await ask(removeContainers(['by-hand'])),
    run: await ask(start('sleep', plan.image)),
    execCode: await ask(run('docker', 'exec', 'by-hand', 'sh', '-c', 'exit 7')),
    top: await ask(run('docker', 'top', 'by-hand', '-eo', 'pid,args')),
  };
  await ask(removeContainers(['by-hand']));
  return answers;
}

/** The lab's image was built there, the pretend one pulled. */
function withoutOrigin({ image, ...facts }: NodeFacts) {
  return { ...facts, image: { ...image, repoDigests: [] } };
}

function knownWords(stderr: string): string | undefined {
  if (/Conflict\./.test(stderr)) return 'Conflict.';
  if (/no such (?:container|object)/i.test(stderr)) return 'no such container';
  return stderr.trim() === '' ? undefined : (dockerReason(stderr, 'NODE').short ?? stderr.split('\n')[0]);
}

/** Kinds of values, not the values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]));
  }
  if (typeof value !== 'string') return typeof value;
  if (value === '') return '';
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return value.startsWith('0001') ? 'never' : 'time';
  if (/^(?:sha256:)?[0-9a-f]{64}$/.test(value)) return 'id';
  return 'text';
}
