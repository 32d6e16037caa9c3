import type { Cluster, Node } from '../../config/cluster-file.ts';

/** How a node is reached: directly, or through another node's connection. */
export interface Route {
  cluster: string;
  user: string;
  node: Node;
  via?: Node | undefined;
}

/** All routes to a node, in the order to try. */
export function routesTo(cluster: Cluster, name: string): readonly [Route, ...Route[]] {
  const node = nodeNamed(cluster, name);
  const base = { cluster: cluster.name, user: cluster.ssh.user, node };
  const [first, ...others] = node.via.map((via) => ({ ...base, via: nodeNamed(cluster, via) }));
  return first ? [first, ...others] : [base];
}

/** "spark2 (192.168.200.13 through spark1)" */
export function placeOf({ node, via }: Route): string {
  const address = node.port === 22 ? node.address : `${node.address}:${node.port}`;
  return `${node.name} (${address}${via ? ` through ${via.name}` : ''})`;
}

/** What a person types on the bot's host to see the same failure. */
export function sshWords({ node, via, user }: Route): string {
  const jump = via ? ['-J', `${user}@${via.address}${via.port === 22 ? '' : `:${via.port}`}`] : [];
  const port = node.port === 22 ? [] : ['-p', node.port];
  return ['ssh', ...jump, ...port, `${user}@${node.address}`].join(' ');
}

function nodeNamed(cluster: Cluster, name: string): Node {
  const node = cluster.nodes.find((each) => each.name === name);
  if (!node) throw new TypeError(`Cluster ${cluster.name} has no node named ${name}`);
  return node;
}
