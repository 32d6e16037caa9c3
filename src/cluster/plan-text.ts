import { dockerRun } from './docker.ts';
import { carryOverFile } from './engines/carry-over.ts';
import type { Plan, PlanNode } from './plan.ts';
import { run } from './remote/command.ts';
import { toShell } from './remote/shell.ts';

const WIDTH = 100;

/** What `sparkops plan` prints: everything that a deploy would run, node by node. Ends with a line end. */
export function planText(plan: Plan): string {
  const paragraphs = [
    heading(plan),
    ...plan.nodes.map((node) => nodeText(plan, node)),
    serveText(plan),
    limitsText(plan),
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

function heading(plan: Plan): string {
  const overrides = Object.entries(plan.overrides).map(([key, value]) => `${key}=${String(value)}`);
  return [
    `${plan.recipe} on ${plan.cluster}${plan.description === '' ? '' : `: ${plan.description}`}`,
    ...table([
      ['model', plan.servedName === plan.model ? plan.model : `${plan.model}, served as ${plan.servedName}`],
      ['image', plan.image],
      [
        'engine',
        `${plan.engine}, tensor parallel ${plan.tensorParallel} on ${plan.nodes.map(({ name }) => name).join(', ')}`,
      ],
      ['endpoint', plan.endpoint],
      ['overrides', overrides.length === 0 ? 'none' : overrides.join(' ')],
      ['phases', plan.phases.join(', ')],
    ]),
  ].join('\n');
}

function nodeText(plan: Plan, node: PlanNode): string {
  const { fabric } = node;
  const secrets = Object.entries(node.secrets).map(([variable, name]) => `${variable} (secret ${name})`);
  const kept = node.role === 'head' ? carryOverFile(plan.nodes) : undefined;
  return [
    `${node.name} (${node.role}): ${node.address}, fabric ${fabric.address} on ${fabric.interface}`,
    ...table([
      ['environment', ''],
      ...Object.entries(node.env).map(([name, value]): [string, string] => ['', `${name}=${value}`]),
      ...(secrets.length > 0
        ? ([['secrets', `${secrets.join(', ')}: put in at the start`]] as [string, string][])
        : []),
      ...(kept ? ([['kept per node', `${kept.text.trim()} in ${kept.path}`]] as [string, string][]) : []),
    ]),
    '  container, with that environment and the user who logs in',
    ...wrap(toShell(dockerRun(node.container, {}))),
  ].join('\n');
}

function serveText({ serve, nodes }: Plan): string {
  const [program, ...words] = serve.argv;
  const added = serve.added.length === 0 ? 'nothing' : serve.added.join(', ');
  return [
    `serve, in the container on ${nodes[0].name}`,
    ...wrap(toShell(run(program, ...words))),
    `  added by sparkops: ${added}`,
  ].join('\n');
}

function limitsText({ limits, phases }: Plan): string {
  return [
    'limits',
    ...table([
      ...phases.map((phase): [string, string] => [phase, duration(limits.phases[phase])]),
      ['load, silent', `${duration(limits.silenceMs)} without progress`],
      ...(limits.drainMs === undefined
        ? []
        : [['stop, waiting', `${duration(limits.drainMs)} for running requests`] satisfies [string, string]]),
      ['undo', `${duration(limits.undoMs)} a phase`],
      ['connect', duration(limits.connectMs)],
      ['read', `${duration(limits.readMs)} a command that looks`],
      [
        'change',
        `${duration(limits.changeMs)} a command that changes something, its wait for the node's lock included`,
      ],
    ]),
  ].join('\n');
}

function table(rows: readonly [string, string][]): string[] {
  return rows.map(([name, text]) => `  ${name.padEnd(14)}${text}`.trimEnd());
}

/** 2700000 -> "45 min", 1500 -> "1.5 s". */
function duration(ms: number): string {
  if (ms >= 60_000 && ms % 60_000 === 0) return `${ms / 60_000} min`;
  return `${ms / 1000} s`;
}

/** Breaks before a flag, with the `\` that lets the whole be pasted into a shell. */
function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of flagsWithValues(text)) {
    if (line !== '' && line.length + part.length + 1 > WIDTH - 6) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? part : `${line} ${part}`;
  }
  lines.push(line);
  return lines.map((each, at) => `    ${each}${at < lines.length - 1 ? ' \\' : ''}`);
}

function flagsWithValues(text: string): string[] {
  const parts: string[] = [];
  for (const word of text.match(/(?:'[^']*'|\\'|[^\s'])+/g) ?? []) {
    const last = parts.pop();
    if (last !== undefined && /^'?-/.test(word)) parts.push(last, word);
    else parts.push(last === undefined ? word : `${last} ${word}`);
  }
  return parts;
}
