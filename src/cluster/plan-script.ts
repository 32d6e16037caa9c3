import type { Cluster } from '../config/cluster-file.ts';
import { OperatorError } from '../errors.ts';
import { execPython, putFile, removeContainers, startContainer, startServe } from './docker.ts';
import { carryOverFile } from './engines/carry-over.ts';
import type { Plan, PlanNode } from './plan.ts';
import { engineHost } from './probes/engine-http.ts';
import { smokeQuestion } from './probes/smoke-test.ts';
import { run, type Command, type Exec, type Word } from './remote/command.ts';
import { installedPrograms, programText } from './remote/programs.ts';
import { toShell } from './remote/shell.ts';

/** What a deployment that no sparkops numbered is called in labels. */
const NO_NUMBER = 0;

/**
 * The plan as a shell script for the head, without secrets: the checks, the containers, Ray's nodes, the engine, a
 * question. Containers have the plan's labels, so that a sparkops finds them afterwards and leaves them alone.
 */
export function planScript(plan: Plan, cluster: Cluster, revision: string): string {
  const [head, ...workers] = plan.nodes;
  const all = [head, ...workers];
  const on = placesOf(cluster, head);
  const secrets = [...new Set(all.flatMap((node) => Object.values(node.secrets)))].map(variable);
  return [
    preface(plan, cluster, revision, secrets),
    programText('plan-script/functions.sh'),
    ...texts(),
    func('check', checks(plan, all, on)),
    func(
      'remove',
      all.map((node) => line(on(node, removeContainers([node.container.name])))),
    ),
    func('give_up', [
      'tell_failure "$@"',
      ...all.flatMap((node) => [
        line(run('step', `The last lines of ${node.container.name}:`)),
        `${line(on(node, run('docker', 'logs', '--tail', 15, node.container.name)))} || :`,
      ]),
      line(run('step', `Removing what was started; ${head.paths.run} keeps the engine's log.`)),
      'remove || :',
      'exit 1',
    ]),
    func('launch', [
      ...(secrets.length > 0 ? [line(run('need_secrets', ...secrets))] : []),
      line(run('step', 'Checks')),
      `check || ${line(run('fail', 'A check failed. Nothing was changed.'))}`,
      ...install(all, on),
      ...containers(plan, head, workers, on),
      ...engine(plan, head, on),
    ]),
    MAIN,
  ].join('\n');
}

/** A command on a node: `here` on the head, `there` by ssh. */
type On = (node: PlanNode, command: Command) => Exec;

function placesOf({ nodes, ssh }: Cluster, head: PlanNode): On {
  return (node, command) => {
    if (node.name === head.name) return run('here', toShell(command));
    const port = nodes.find(({ name }) => name === node.name)?.port ?? 22;
    return run('there', `${ssh.user}@${node.address}`, port, toShell(command));
  };
}

function preface(plan: Plan, { ssh }: Cluster, revision: string, secrets: readonly string[]): string {
  const [head, ...workers] = plan.nodes;
  const reach = workers.map(({ name, address }) => `${name} (${ssh.user}@${address})`);
  return [
    '#!/bin/sh',
    `# ${plan.recipe} on ${plan.cluster}, as sparkops would launch it (configuration ${revision}).`,
    `# Run it on ${head.name} as ${ssh.user}: sh FILE [launch | check | remove]`,
    ...(reach.length > 0
      ? [`# It reaches ${reach.join(', ')} with ssh: keys and known hosts must be in place there.`]
      : []),
    ...(secrets.length > 0 ? [`# Export first: ${secrets.join(', ')}.`] : []),
    '# While it runs, let no sparkops act on this cluster.',
    'set -eu',
    'umask 077',
    '',
  ].join('\n');
}

/** Programs that are sent on standard input, as functions that print them. */
function texts(): readonly string[] {
  const { puts } = installedPrograms();
  return [
    textFunction('text_check', programText('plan-script/check.sh')),
    textFunction('text_install', `${puts}${programText('plan-script/install.sh')}`),
    textFunction('text_ray_nodes', programText('ray-nodes.py')),
    textFunction('text_ask_engine', programText('plan-script/ask-engine.py')),
  ];
}

function checks(plan: Plan, nodes: readonly PlanNode[], on: On): readonly string[] {
  return [
    'bad=0',
    ...nodes.flatMap((node) => {
      const ports = node.role === 'head' ? [plan.port, plan.rayPort] : [];
      const { address, interface: name } = node.fabric;
      const look = run('sh', '-s', '--', plan.realm, node.paths.state, plan.image, address, name, ...ports);
      return [line(run('echo', node.name)), `${line(piped(run('text_check'), on(node, look)))} || bad=1`];
    }),
    'return "$bad"',
  ];
}

function install(nodes: readonly PlanNode[], on: On): readonly string[] {
  const { hash } = installedPrograms();
  return nodes.map((node) => line(piped(run('text_install'), on(node, run('sh', '-s', '--', node.paths.state, hash)))));
}

function containers(plan: Plan, head: PlanNode, workers: readonly PlanNode[], on: On): readonly string[] {
  const { limits, rayPort } = plan;
  const kept = carryOverFile(plan.nodes);
  const addresses = plan.nodes.map(({ fabric }) => fabric.address);
  const seconds = wholeSeconds(limits.phases['verify-ray']);
  const look = execPython(head.container.name, 'ray-nodes', '--expect', addresses.join(','), '--limit', seconds);
  return [
    line(run('step', `Ray's head on ${head.name}`)),
    orGiveUp(start(head, on), `The container on ${head.name} could not be started.`),
    ...(kept
      ? [
          orGiveUp(
            piped(run('printf', '%s', kept.text), on(head, putFile(head, kept.path))),
            `${kept.path} could not be written.`,
          ),
        ]
      : []),
    orGiveUp(
      run('wait_port', wholeSeconds(limits.phases['start-head']), rayPort),
      `Ray on ${head.name} does not listen on port ${rayPort}.`,
    ),
    ...workers.flatMap((node) => [
      line(run('step', `Ray's worker on ${node.name}`)),
      orGiveUp(start(node, on), `The container on ${node.name} could not be started.`),
    ]),
    line(run('step', "Ray's nodes")),
    orGiveUp(
      piped(run('text_ray_nodes'), on(head, look), run('ray_complete', ...addresses)),
      'Ray does not have exactly the nodes of the plan.',
    ),
  ];
}

function start(node: PlanNode, on: On): Command {
  const lines = Object.entries(node.secrets).flatMap(([name, secret]) => [variable(name), variable(secret)]);
  return piped(run('secret_lines', ...lines), on(node, startContainer(node, NO_NUMBER)));
}

function engine(plan: Plan, head: PlanNode, on: On): readonly string[] {
  const { question, answer } = smokeQuestion(plan.uid);
  const { load, smoke } = plan.limits.phases;
  const words: Word[] = [
    'ask-engine',
    '--url',
    `http://${engineHost(plan)}:${plan.port}`,
    '--model',
    plan.servedName,
    '--run',
    head.paths.run,
    '--load-limit',
    wholeSeconds(load),
    '--limit',
    wholeSeconds(smoke),
    '--question',
    question,
    '--answer',
    answer,
  ];
  return [
    line(run('step', `The engine; its log: ${head.paths.run}/serve.log`)),
    orGiveUp(on(head, startServe(head, plan.serve.argv)), 'The engine could not be started.'),
    orGiveUp(
      piped(run('text_ask_engine'), on(head, execPython(head.container.name, ...words))),
      'The engine does not serve as it should.',
    ),
    line(run('step', `${plan.servedName} serves at ${plan.endpoint}/v1`)),
  ];
}

const MAIN = `main() {
  case \${1-launch} in
    launch) launch ;;
    check) check ;;
    remove) remove ;;
    *) fail 'launch, check or remove' ;;
  esac
}

main "$@"
`;

function func(name: string, lines: readonly string[]): string {
  return `${name}() {\n${lines.map((each) => `  ${each}\n`).join('')}}\n`;
}

function textFunction(name: string, text: string): string {
  const end = `END-OF-${name}`;
  if (text.split('\n').includes(end)) throw new TypeError(`${end} stands in the text itself`);
  return `${name}() {\n  cat <<'${end}'\n${text.endsWith('\n') ? text : `${text}\n`}${end}\n}\n`;
}

function piped(...commands: Command[]): Command {
  return { kind: 'join', by: '|', commands };
}

function line(command: Command): string {
  return toShell(command);
}

function orGiveUp(command: Command, why: string): string {
  return line({ kind: 'join', by: '||', commands: [command, run('give_up', why)] });
}

function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}

/** A name that may stand in `eval`. */
function variable(name: string): string {
  if (/^[A-Za-z_]\w*$/.test(name)) return name;
  throw new OperatorError('config', `The secret ${name} can't be named in a shell script.`, {
    hint: 'Use letters, digits and _ in its name, with a letter first.',
  });
}
