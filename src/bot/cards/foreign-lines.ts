import type { Button } from '@slack/types';
import { comesBack, foreignWord, memoryText } from '../../jobs/foreign.ts';
import type { ForeignLaunch, NodeStatus } from '../../jobs/jobs.ts';
import { button } from './button.ts';
import { clockTime, person, plain, said } from './mrkdwn.ts';

/** One launch of somebody else that is in the way of a model: containers of one name on several nodes are one. */
export interface ForeignGroup {
  /** What to call it in a command. */
  word: string;
  first: ForeignLaunch;
  all: readonly ForeignLaunch[];
}

/** Slack shows few buttons well. */
const MOST_WITH_BUTTONS = 3;

export function foreignGroups(nodes: readonly NodeStatus[]): readonly ForeignGroup[] {
  const groups = new Map<string, ForeignLaunch[]>();
  for (const launch of nodes.flatMap(({ foreign }) => foreign).filter(({ tolerated }) => !tolerated)) {
    const key = launch.kind === 'container' ? `${launch.realm ?? ''} ${launch.name}` : `${launch.node} ${launch.id}`;
    groups.set(key, [...(groups.get(key) ?? []), launch]);
  }
  return [...groups.values()].flatMap((all) => (all[0] ? [{ word: foreignWord(all[0]), first: all[0], all }] : []));
}

/** "vllm_node was not started by me, 71 GB on 2 nodes. I leave it alone." */
export function foreignSummary(groups: readonly ForeignGroup[]): string {
  const [one, ...more] = groups;
  if (!one) return '';
  const it = more.length === 0 ? 'it' : 'them';
  const names = groups.slice(0, 3).map(({ first }) => said(first.name, 60));
  const rest = groups.length > 3 ? ` and ${groups.length - 3} more` : '';
  const all = groups.flatMap((group) => group.all);
  return `${names.join(', ')}${rest} ${more.length === 0 ? 'was' : 'were'} not started by me${sizeText(all)}. I leave ${it} alone.`;
}

/** What there is to know of each, whose it is, and what it keeps people from. */
export function foreignLines(
  groups: readonly ForeignGroup[],
  { cluster, withPeople }: { cluster: string; withPeople: boolean },
): readonly string[] {
  if (groups.length === 0) return [];
  return [
    ...groups.flatMap((group) => groupLines(group, withPeople)),
    `Deploys on ${said(cluster, 60)} are refused while ${groups.length === 1 ? 'it runs' : 'they run'}.`,
  ];
}

/** "Tolerated: dcgm-exporter on spark1 and spark2." */
export function toleratedLines(nodes: readonly NodeStatus[]): readonly string[] {
  const tolerated = nodes.flatMap(({ foreign }) => foreign).filter((launch) => launch.tolerated);
  const names = [...new Set(tolerated.map(({ name }) => name))];
  const each = names.map((name) => {
    const where = tolerated.filter((launch) => launch.name === name).map(({ node }) => said(node, 40));
    return `${said(name, 60)} on ${where.join(' and ')}`;
  });
  return each.length === 0 ? [] : [`Tolerated: ${each.join(', ')}.`];
}

/** [It's mine] for what nobody has claimed, [Ask to stop it]. */
export function foreignButtons(groups: readonly ForeignGroup[], cluster: string): readonly Button[] {
  const named = (text: string, { first }: ForeignGroup) =>
    groups.length === 1 ? text : plain(`${text}: ${first.name}`, 75);
  return groups.slice(0, MOST_WITH_BUTTONS).flatMap((group, at) => [
    ...(group.all.every(({ owner }) => owner)
      ? []
      : [button({ action: `mine-${at}`, text: named("It's mine", group), value: `mine ${group.word} on ${cluster}` })]),
    button({
      action: `stop-foreign-${at}`,
      text: named('Ask to stop it', group),
      value: `stop-foreign ${group.word} on ${cluster}`,
    }),
  ]);
}

function groupLines({ first, all }: ForeignGroup, withPeople: boolean): readonly string[] {
  const { kind, name, id, image, user, since, realm, orphanOf } = first;
  const what = kind === 'container' ? `Container ${said(name, 60)}` : `Process ${said(name, 60)} (pid ${id})`;
  const ports = [...new Set(all.flatMap((each) => each.ports))];
  const likely = all.some(({ portsLikely }) => portsLikely) ? 'probably ' : '';
  const about = [
    ...(user === undefined ? [] : [`user ${said(user, 40)}${kind === 'container' ? ' inside' : ''}`]),
    ...(image === undefined ? [] : [`image ${said(image, 120)}`]),
    ...(ports.length === 0 ? [] : [`${likely}port ${ports.join(' and ')}`]),
    ...(realm === undefined ? [] : [`of another sparkops, ${said(realm, 40)}`]),
    ...(orphanOf === undefined ? [] : ['left behind by a container that has ended']),
  ];
  const where = [...new Set(all.map(({ node }) => said(node, 40)))].join(' and ');
  const began = since === undefined ? '' : ` since ${clockTime(since)}`;
  const back = all.find(({ restart }) => comesBack(restart))?.restart;
  const owner = all.find((each) => each.owner)?.owner;
  return [
    `${what} on ${where}${began}${about.length === 0 ? '' : `, ${about.join(', ')}`}.`,
    ...(back === undefined ? [] : [`It comes back after a reboot (${said(back, 40)}).`]),
    ...(owner ? [`${withPeople ? person(owner.user) : 'Somebody'} says that it is theirs.`] : []),
  ];
}

/** ", 71 GB on 2 nodes" */
function sizeText(all: readonly ForeignLaunch[]): string {
  const memory = all.reduce((sum, { gpuMemory = 0 }) => sum + gpuMemory, 0);
  const nodes = new Set(all.map(({ node }) => node));
  const where = nodes.size === 1 ? `on ${said(all[0]?.node ?? '', 40)}` : `on ${nodes.size} nodes`;
  return memory === 0 ? `, ${where}` : `, ${memoryText(memory)} ${where}`;
}
