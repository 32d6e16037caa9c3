import type { ClusterFile, Node } from './cluster-file.ts';
import type { Problem } from './config.ts';
import { nearest } from './nearest.ts';
import { type Say, sayInto } from './recipe/say.ts';
import type { YamlFile } from './yaml-file.ts';

/** Ray gives these ports to its workers, and refuses to start with its own port among them. */
export const RAY_WORKER_PORTS = { from: 10_002, to: 19_999 };

/** What the schema can't see: how the parts of a cluster fit together. */
export function checkCluster(cluster: ClusterFile, yaml: YamlFile): Problem[] {
  const problems: Problem[] = [];
  const say = sayInto(problems, yaml);
  // A role that could not be read may be the head's.
  if (!yaml.doubtful.some((path) => path[2] === 'role')) checkHead(cluster, say);
  checkUnique(cluster, say);
  for (const [index, node] of cluster.nodes.entries()) {
    checkVia(cluster, node, index, say);
    if (node.host_key === undefined && cluster.ssh.known_hosts === undefined) {
      const right = `Add ssh: known_hosts: ~/.ssh/known_hosts, or the line that ssh-keygen -lf prints as its host_key`;
      say(['nodes', index, 'host_key'], `Nothing says which host key ${node.name} has`, right);
    }
  }
  if (cluster.ssh.key === undefined && !cluster.ssh.agent) {
    say(['ssh', 'key'], 'ssh has neither a key nor an agent', 'Add key: ~/.ssh/id_ed25519, or agent: true');
  }
  if (cluster.ssh.key !== undefined && cluster.ssh.agent) {
    say(['ssh', 'agent'], 'ssh has both a key and an agent', 'Keep one of the two');
  }
  checkRayPort(cluster, say);
  return problems;
}

function checkHead({ nodes }: ClusterFile, say: Say): void {
  const heads = nodes.filter((node) => node.role === 'head');
  if (heads.length === 0) say(['nodes'], 'No node is the head', 'Add role: head to the node that answers requests');
  for (const node of heads.slice(1)) {
    const right = `Remove role: head here, or from ${heads[0]?.name}`;
    say(['nodes', nodes.indexOf(node), 'role'], `${node.name} is a second head`, right);
  }
}

function checkUnique({ nodes }: ClusterFile, say: Say): void {
  const seen = new Map<string, string>();
  for (const [index, node] of nodes.entries()) {
    const one = (kind: string, value: string, path: readonly PropertyKey[], right: string) => {
      const other = seen.get(`${kind} ${value}`);
      if (other !== undefined) say(['nodes', index, ...path], `${other} has the ${kind} ${value} too`, right);
      else seen.set(`${kind} ${value}`, node.name);
    };
    one('name', node.name, ['name'], 'Give each node a name of its own');
    one('address', `${node.address}:${node.port}`, ['address'], 'Give the address by which sparkops reaches this node');
    const right = `Give the address that ip -4 addr show ${node.fabric.interface} prints on this node`;
    one('fabric address', node.fabric.address, ['fabric', 'address'], right);
  }
}

function checkVia({ nodes }: ClusterFile, node: Node, index: number, say: Say): void {
  for (const [at, name] of node.via.entries()) {
    const path = ['nodes', index, 'via', at];
    const jump = nodes.find((other) => other.name === name);
    if (!jump) {
      const names = nodes.map((other) => other.name).filter((other) => other !== node.name);
      const meant = nearest(name, names);
      const right = meant === undefined ? `Name one of ${names.join(', ')}, or remove via` : `Did you mean ${meant}?`;
      say(path, `via names ${name}, which is no node of this cluster`, right);
    } else if (jump === node) {
      say(path, `${node.name} is reached through itself`, 'Name another node, or remove via');
    } else if (jump.via.includes(node.name)) {
      say(
        path,
        `${node.name} and ${jump.name} are reached through each other`,
        'Remove via from the one that sparkops reaches directly',
      );
    } else if (jump.via.length > 0) {
      say(
        path,
        `${jump.name} is itself reached through ${jump.via.join(', ')}`,
        'Name a node that sparkops reaches directly: one jump is the most',
      );
    }
  }
}

function checkRayPort({ ray_port: port, nodes }: ClusterFile, say: Say): void {
  if (port === 6379) {
    say(
      ['ray_port'],
      "ray_port is 6379, which is Redis's port",
      'Choose another, such as 29501: Redis may live on the head',
    );
  } else if (port >= RAY_WORKER_PORTS.from && port <= RAY_WORKER_PORTS.to) {
    const wrong = `ray_port is ${port}, among the ports that Ray gives to its workers`;
    say(['ray_port'], wrong, `Choose one outside ${RAY_WORKER_PORTS.from} to ${RAY_WORKER_PORTS.to}, such as 29501`);
  }
  const sshHere = nodes.find((node) => node.port === port && node.port !== 22);
  if (sshHere)
    say(['ray_port'], `ray_port is ${port}, where ${sshHere.name} has its SSH server`, 'Choose another, such as 29501');
}
