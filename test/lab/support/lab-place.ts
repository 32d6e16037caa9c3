import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument, stringify } from 'yaml';
import { askedIn, SURFACE } from '../../../src/bot/places.ts';
import type { Plan } from '../../../src/cluster/plan.ts';
import { readConfig } from '../../../src/config/load-config.ts';
import { admit } from '../../../src/jobs/claim.ts';
import { planFrom } from '../../../src/jobs/prepare.ts';
import { LOCAL_RIGHTS, OPERATOR, OPS_CHANNEL, TEAM } from '../../../src/local/slack/people.ts';
import { startLocalSlack } from '../../../src/local/slack/start-local-slack.ts';
import type { Workplace } from '../../../src/local/workplace.ts';
import { type Place, placeIn } from '../../support/place.ts';
import { SECRET_ENV, type Source, WORKER_SECRETS } from '../../support/planted-secrets.ts';
import { testRedis } from '../../support/redis.ts';
import { cleanHosts, HOSTS, IMAGE, ranOnHost, STATE } from './lab.ts';
import { ON_THE_HEAD, openHead } from './on-the-head.ts';

const RECIPE = fileURLToPath(new URL('../../../config/recipes/qwen35.yaml', import.meta.url));

export interface LabPlaceOptions {
  /** Variant of the image: a fault is built into it. */
  image?: string;
  timeouts?: Readonly<Record<string, string>>;
  /** Added to the recipe's env. */
  env?: Readonly<Record<string, string>>;
  /** Changes the recipe's command. */
  command?: (text: string) => string;
  /** The product and its Redis run on the head, beside Ray. */
  onTheHead?: boolean;
}

export interface LabPlace extends Place<Omit<Workplace, 'sparks'>> {
  /** Admits `/spark deploy qwen35` as if typed by the Operator, with a plan that people can't ask for. For before a product runs. */
  admit: (change: (plan: Plan) => Plan) => Promise<void>;
}

// Short lives, so that a takeover is a matter of seconds. Both hosts share this machine's cores, so Ray may be slow.
const TIMEOUTS = {
  lease: '3s',
  job_lock: '3s',
  stall_check: '1s',
  reconcile: '1s',
  verify_ray: '90s',
  load: '180s',
  load_silence: '60s',
};

/** Local Slack and Redis here, the product as child processes, the lab's two hosts as its cluster. */
export async function startLabPlace(options: LabPlaceOptions = {}): Promise<LabPlace> {
  await cleanHosts();
  const slack = await startLocalSlack();
  const { redis, redisUrl, through } = await storeOf(slack, options);
  const folder = await mkdtemp(join(tmpdir(), 'sparkops-lab-'));
  await writeLabConfig(folder, { ...options, env: { ...SECRET_ENV, ...options.env } });
  const stop = async () => {
    await slack.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const place = placeIn({ slack, redisUrl, configFolder: folder, stop }, { redis, realm: 'lab', left: secretsOnHosts });

  return {
    ...place,
    product: (given) => place.product({ ...given, through }),
    async admit(change) {
      const { plan, revision } = planFrom(await readConfig(folder), { recipe: 'qwen35', overrides: {} });
      const by = { team: TEAM.id, user: OPERATOR, name: 'Operator' };
      const admission = {
        action: 'deploy' as const,
        revision,
        sparkopsVersion: '0.0.0',
        by,
        surface: SURFACE,
        view: askedIn(OPS_CHANNEL, by),
      };
      await place.store.redis.set(place.store.keys.counter, 0);
      await admit(place.store, { ...admission, plan: change(plan) }, () => new Date());
    },
  };
}

/** Lines of the state folders that hold a planted secret. */
async function secretsOnHosts(): Promise<readonly Source[]> {
  return Promise.all(
    HOSTS.map(async (host) => {
      const { stdout } = await ranOnHost(
        host,
        'timeout 20 grep -raFf - ~/.sparkops',
        Object.values(WORKER_SECRETS).join('\n'),
      );
      return { where: `the state folder of ${host}`, text: stdout };
    }),
  );
}

async function storeOf(slack: { url: string }, { onTheHead = false }: LabPlaceOptions) {
  if (onTheHead) return { ...(await openHead({ slackUrl: slack.url })), through: ON_THE_HEAD };
  const redis = await testRedis();
  return { redis, redisUrl: redis.url, through: [] };
}

/** The shipped recipe, on the lab's two hosts. */
export async function writeLabConfig(
  folder: string,
  { image = 'latest', timeouts, env, command, cluster = labCluster() }: LabPlaceOptions & { cluster?: object } = {},
): Promise<void> {
  const recipe = parseDocument(await readFile(RECIPE, 'utf8'));
  recipe.set('container', `${IMAGE}:${image}`);
  for (const [name, value] of Object.entries({ LAB_LOAD_SECONDS: '2', LAB_RENDEZVOUS_SECONDS: '15', ...env })) {
    recipe.setIn(['env', name], value);
  }
  if (command) recipe.set('command', command(String(recipe.get('command'))));
  await mkdir(join(folder, 'clusters'), { recursive: true });
  await mkdir(join(folder, 'recipes'), { recursive: true });
  await writeFile(
    join(folder, 'sparkops.yaml'),
    stringify({ name: 'lab', rights: LOCAL_RIGHTS, timeouts: { ...TIMEOUTS, ...timeouts } }),
  );
  await writeFile(join(folder, 'recipes', 'qwen35.yaml'), String(recipe));
  await writeFile(join(folder, 'clusters', 'spark.yaml'), stringify(cluster));
}

const fabric = (address: string) => ({ address, interface: 'enp1s0f0np0', rdma: ['rocep1s0f0', 'roceP2p1s0f0'] });

/** The two hosts, as a file of clusters/ has them; `keys` is where the key and known_hosts are. */
export function labCluster(keys: string = STATE) {
  return {
    description: 'the two hosts of the lab',
    channels: [OPS_CHANNEL],
    ssh: { user: 'aurora', key: `${keys}/id_ed25519`, known_hosts: `${keys}/known_hosts` },
    nodes: [
      { name: 'spark1', role: 'head', address: '10.1.230.180', fabric: fabric('192.168.200.12') },
      { name: 'spark2', address: '192.168.200.13', via: ['spark1'], fabric: fabric('192.168.200.13') },
    ],
    paths: {
      models: '/home/aurora/models',
      cache: '/home/aurora/.cache/huggingface',
      state: '/home/aurora/.sparkops',
    },
    ray_port: 29501,
  };
}
