import type { Button } from '@slack/types';
import type { ClusterStatus, NodeStatus } from '../../jobs/jobs.ts';
import type { Deployment } from '../../jobs/deployment.ts';
import { SLASH } from '../grammar.ts';
import { button } from './button.ts';
import { foreignButtons, foreignGroups, foreignLines, foreignSummary, toleratedLines } from './foreign-lines.ts';
import { actions, context, fitting, section, type Message } from './message.ts';
import { clockTime, person, said } from './mrkdwn.ts';
import { holdLine } from './hold-card.ts';
import { ownership } from './ownership.ts';
import { phaseWord, progressText } from './phases.ts';
import { duration } from './time.ts';

interface Seen {
  /** The higher, the worse. */
  rank: number;
  /** One word; in the summary in capitals when somebody should act. */
  word: string;
  text: string;
}

const STORE_AWAY = "I can't reach my store, so I change nothing. Models keep serving.";

export interface StatusOptions {
  /** The one that was asked for: told in depth. */
  cluster?: string;
  /** Slack user id. In the channel nobody else is mentioned. */
  sharedBy?: string;
}

/** Worst first: one line a cluster, then the nodes. */
export function statusAnswer(
  clusters: readonly ClusterStatus[],
  now: Date,
  { cluster: only, sharedBy }: StatusOptions = {},
): Message {
  const sorted = clusters
    .map((cluster) => ({ cluster, seen: underHold(cluster, look(cluster, now), now, sharedBy === undefined) }))
    .toSorted((a, b) => b.seen.rank - a.seen.rank || a.cluster.cluster.localeCompare(b.cluster.cluster));
  if (sorted.length === 0) return fitting(() => one(['No cluster is configured.']));

  const lines = sorted.map(({ cluster, seen }) => `${cluster.cluster} ${seen.word.toUpperCase()}: ${seen.text}`);
  const all = `${sorted.length} clusters: ${sorted.map(({ cluster, seen }) => `${cluster.cluster} ${seen.word}`).join(', ')}.`;
  const problem = sorted.find(({ cluster }) => cluster.storeProblem !== undefined)?.cluster.storeProblem;
  const away = problem === undefined ? [] : [STORE_AWAY];
  const freeze = sorted[0]?.cluster.freeze;
  const frozen =
    freeze === undefined ? [] : [`FROZEN by ${holdLine(freeze, now, { withPeople: sharedBy === undefined })}`];
  const summary = [...away, ...(sorted.length === 1 ? lines : [all, ...lines]), ...frozen];
  const looked = sorted.map(({ cluster }) => cluster.lookedAt).toSorted()[0] ?? now.toISOString();
  const details = [
    ...(problem === undefined ? [] : [[`The store: ${said(problem)}`]]),
    // With several, a phone shows no more than a line of each.
    ...(sorted.length === 1
      ? sorted.flatMap(({ cluster }) => [
          foreignLines(foreignGroups(cluster.nodes), { cluster: cluster.cluster, withPeople: sharedBy === undefined }),
          [...nodeLines(cluster), ...recordLines(cluster, sharedBy === undefined)],
        ])
      : [[`In depth: \`${SLASH} status ${sorted[0]?.cluster.cluster ?? ''}\``]]),
  ];

  const when = `Looked at ${clockTime(looked)}.${sharedBy === undefined ? '' : ` Shared by ${person(sharedBy)}.`}`;
  const alone = sorted.length === 1 ? sorted.map(({ cluster }) => cluster) : [];
  const buttons =
    sharedBy === undefined
      ? [...alone.flatMap(({ cluster, nodes }) => foreignButtons(foreignGroups(nodes), cluster)), shareButton(only)]
      : [];

  return fitting(
    () => rendered(summary, details, { when, buttons }),
    () => rendered(summary, details.slice(0, 3), { when, buttons }),
    () => rendered(summary, [], { when, buttons }),
  );
}

function rendered(
  summary: readonly string[],
  details: readonly (readonly string[])[],
  { when, buttons }: { when: string; buttons: readonly Button[] },
): Message {
  return {
    text: [...summary, ...details.flat(), when].join('\n'),
    blocks: [
      section(summary.join('\n')),
      ...details.filter((lines) => lines.length > 0).map((lines) => section(lines.join('\n'))),
      context(when),
      ...(buttons.length > 0 ? [actions(buttons)] : []),
    ],
  };
}

/** One cluster in lines: its state, whose it is, the nodes. */
export function statusSummary(status: ClusterStatus, now: Date): readonly string[] {
  const { word, text } = underHold(status, look(status, now), now, true);
  const { cluster, nodes } = status;
  return [
    `${cluster} ${word.toUpperCase()}: ${text}`,
    ...foreignLines(foreignGroups(nodes), { cluster, withPeople: true }),
    ...nodeLines(status),
    ...recordLines(status, true),
  ];
}

/** Somebody's hold is what counts where nothing is wrong; elsewhere it is told beside it. */
function underHold({ hold }: ClusterStatus, seen: Seen, now: Date, withPeople: boolean): Seen {
  if (!hold) return seen;
  const held = holdLine(hold, now, { withPeople });
  if (seen.rank > 1) return { ...seen, text: `${seen.text}; held by ${held}` };
  return { rank: 2, word: 'held', text: `by ${held}; ${seen.text}` };
}

function shareButton(cluster: string | undefined): Button {
  const value = cluster === undefined ? 'status share' : `status ${cluster} share`;
  return button({ action: 'say', text: 'Share here', value });
}

/** Whose it is, until when and what for. */
function recordLines({ serving, busy }: ClusterStatus, withPeople: boolean): readonly string[] {
  return [...serving, ...(busy ? [busy] : [])].map(
    (record) => `${said(record.recipe, 60)} (#${record.number}): ${ownership(record, { withPeople })}`,
  );
}

function look(status: ClusterStatus, now: Date): Seen {
  const { busy, serving, nodes } = status;
  const unread = nodes.filter((node) => node.problem !== undefined);
  const sick = status.engines.find((engine) => engine.health !== 'ok');
  const names = serving.map((record) => `${record.recipe} (#${record.number})`).join(', ');
  if (sick) {
    const word = sick.health === 'silent' ? 'SILENT' : 'DOWN';
    return { rank: 5, word, text: `${names || 'the engine'}, ${said(sick.text, 120)}` };
  }
  if (unread.length > 0) {
    const which = unread.map((node) => node.node).join(', ');
    return {
      rank: 4,
      word: 'UNREADABLE',
      text: `${said(which, 100)} can't be read${names ? `; ${names} should serve` : ''}`,
    };
  }
  if (busy?.state === 'waiting-approval') {
    const serves = serving.length > 0 ? servingText(status, names, now) : 'nothing serves';
    return { rank: 3, word: 'waiting', text: `${said(busy.recipe, 60)} (#${busy.number}) for approval; ${serves}` };
  }
  if (busy) return { rank: 3, word: busy.run === 'stop' ? 'stopping' : 'loading', text: busyText(busy) };
  const others = foreignSummary(foreignGroups(nodes));
  if (serving.length > 0) {
    return { rank: 1, word: 'ok', text: [servingText(status, names, now), others].filter(Boolean).join('; ') };
  }
  const unexplained = nodes
    .flatMap((node) => node.containers)
    .filter((container) => container.running && container.engine);
  const found = said(unexplained[0]?.name ?? '', 60);
  if (found !== '' && status.storeProblem !== undefined) {
    return { rank: 2, word: 'RUNS', text: `${found}, which the store can't explain now` };
  }
  if (found !== '') return { rank: 2, word: 'UNKNOWN', text: `${found} runs, and no record says why` };
  if (others !== '') return { rank: 2, word: 'FOREIGN', text: others };
  return { rank: 0, word: 'free', text: 'nothing serves' };
}

function busyText(record: Deployment): string {
  const phase = record.phase ? phaseWord(record.phase) : record.state;
  const progress = record.progress ? `, ${said(progressText(record.progress))}` : '';
  return `${record.recipe} (#${record.number}), ${phase}${progress}`;
}

function servingText(status: ClusterStatus, names: string, now: Date): string {
  const since = status.serving[0]?.endedAt;
  const age = since === undefined ? '' : `, up ${duration(now.getTime() - Date.parse(since))}`;
  const engine = status.engines[0]?.text;
  return `${names}${engine === undefined || engine === '' ? '' : `, ${said(engine, 120)}`}${age}`;
}

function nodeLines(status: ClusterStatus): readonly string[] {
  const endpoints = status.serving.map(
    ({ endpoint, plan }) => `${said(endpoint ?? plan.endpoint, 120)}/v1, model ${said(plan.servedName, 80)}`,
  );
  const records = [...status.serving, ...(status.busy ? [status.busy] : [])];
  return [...endpoints, ...status.nodes.map((node) => nodeText(node, records)), ...toleratedLines(status.nodes)];
}

function nodeText(
  { node, role, address, gpu, containers, problem, foreign, foreignProblem }: NodeStatus,
  records: readonly Deployment[],
): string {
  const name = `${said(node, 40)} (${role}, ${said(address, 60)})`;
  if (problem !== undefined) return `${name}: CAN'T BE READ, ${said(problem)}`;
  const shown = containers.map((container) => {
    const record = records.find(({ uid }) => uid === container.deployment);
    const what = record ? `${said(record.recipe, 60)} (#${record.number})` : said(container.name, 60);
    if (!container.running) return `${what}: container has ended`;
    return `${container.engine ? 'engine' : 'container'} of ${what} since ${clockTime(container.since)}`;
  });
  const unsure = foreignProblem === undefined ? [] : [`what others run can't be told: ${said(foreignProblem, 120)}`];
  const none = foreign.some(({ kind }) => kind === 'container') ? 'no container of mine' : 'no container';
  const ours = shown.length > 0 ? shown : [none];
  return `${name}: ${[said(gpu ?? 'no GPU seen', 100), ...ours, ...unsure].join('; ')}`;
}

function one(lines: readonly string[]): Message {
  return { text: lines.join('\n'), blocks: [section(lines.join('\n'))] };
}
