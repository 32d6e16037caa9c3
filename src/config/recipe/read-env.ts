import { shown } from '../check-shape.ts';
import { holdsSecret } from '../looks-secret.ts';
import { isRecord } from '../repair.ts';
import type { YamlFile } from '../yaml-file.ts';
import type { Say } from './say.ts';

/** Variables that differ from node to node, or follow from the plan: sparkops sets them, a recipe must not. */
export const PER_NODE_VARIABLES: readonly string[] = [
  'VLLM_HOST_IP',
  'RAY_NODE_IP_ADDRESS',
  'RAY_OVERRIDE_NODE_IP_ADDRESS',
  'RAY_ADDRESS',
  'HOST_IP',
  'NODE_IP',
  'MASTER_ADDR',
  'MASTER_PORT',
  'NODE_RANK',
  'RANK',
  'LOCAL_RANK',
  'WORLD_SIZE',
  'MN_IF_NAME',
  'NCCL_SOCKET_IFNAME',
  'GLOO_SOCKET_IFNAME',
  'TP_SOCKET_IFNAME',
  'NCCL_IB_HCA',
  'NCCL_IB_GID_INDEX',
  'UCX_NET_DEVICES',
  'OMPI_MCA_btl_tcp_if_include',
];

/** Secrets of the bot itself; no container gets them. */
const OWN_SECRETS = /^(SLACK|SPARKOPS|REDIS|SSH)_/;

/** The container's variables, and those whose value is a secret's name. */
export function readEnv(
  yaml: YamlFile,
  raw: unknown,
  say: Say,
): { env: Record<string, string>; secrets: Record<string, string> } {
  const env: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  if (!isRecord(raw)) {
    if (raw !== undefined && raw !== null)
      say(['env'], `env is ${shown(raw)}`, 'Write one NAME: "value" per line below env');
    return { env, secrets };
  }
  for (const [name, value] of Object.entries(raw)) {
    const path = ['env', name];
    const text = typeof value === 'number' ? (yaml.written(path) ?? String(value)) : value;
    const problem = wrongName(name) ?? wrongValue(name, text);
    if (problem) say(path, problem.wrong, problem.right);
    else if (typeof text === 'string') {
      const secret = /^secret:(\w+)$/.exec(text)?.[1];
      if (secret === undefined) env[name] = text;
      else secrets[name] = secret;
    }
  }
  return { env, secrets };
}

interface Wrong {
  wrong: string;
  right: string;
}

function wrongName(name: string): Wrong | undefined {
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    return {
      wrong: `${shown(name)} is no name of a variable`,
      right: 'Use letters, digits and _, and begin with a letter',
    };
  }
  if (PER_NODE_VARIABLES.includes(name)) {
    return {
      wrong: `${name} belongs to the node, and a recipe has one value for all nodes`,
      right: "Remove it: sparkops sets it on each node from the cluster's fabric addresses and interfaces",
    };
  }
  return undefined;
}

function wrongValue(name: string, value: unknown): Wrong | undefined {
  if (value === null) return { wrong: `${name} has no value`, right: `Write ${name}: "" if it shall be empty` };
  if (typeof value === 'boolean') {
    return {
      wrong: `${name} is ${value} without quotes`,
      right: `Write ${name}: "1", or the text that the program expects`,
    };
  }
  if (typeof value !== 'string')
    return { wrong: `${name} is ${shown(value)}`, right: 'It must be text: put it in quotes' };
  if (/[\n\r\0]/.test(value)) {
    return {
      wrong: `${name} has a line end in its value`,
      right: 'Write it on one line: docker reads variables line by line',
    };
  }
  if (value.startsWith('secret:')) return wrongSecret(name, value.slice('secret:'.length));
  if (holdsSecret(value)) {
    return {
      wrong: `${name} holds what looks like a token`,
      right: `Write ${name}: secret:${name}, and give the value to sparkops`,
    };
  }
  if (/\$([A-Za-z_{]|\()/.test(value)) {
    return {
      wrong: `${name} holds ${value.slice(0, 60)}: nothing replaces a $VARIABLE, since the value would depend on who starts the bot`,
      right: `Write the value out, or ${name}: secret:${name} for a secret`,
    };
  }
  return undefined;
}

function wrongSecret(name: string, secret: string): Wrong | undefined {
  if (!/^[A-Za-z_]\w*$/.test(secret)) {
    return {
      wrong: `${name} names the secret ${shown(secret)}`,
      right: 'Write secret:NAME with letters, digits and _',
    };
  }
  if (OWN_SECRETS.test(secret)) {
    return {
      wrong: `${name} names ${secret}, which belongs to the bot itself`,
      right: 'Name a secret that is meant for containers',
    };
  }
  return undefined;
}
