import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { askNodes, type RayNode } from './gcs.ts';
import { listFolder } from './files.ts';
import { ownAddress, readMachine, type Machine } from './machine.ts';
import { findWay, listeners } from './ports.ts';
import { api, engine, engineTag, fail, say, worker, workerTag } from './vllm-lines.ts';

const LOOK_MS = 200;
const WATCH_MS = 500;
/** PG_WAIT_TIMEOUT of vLLM. */
const PLACEMENT_LIMIT_S = 1_800;
/** How long torch's c10d tries. */
const CONNECT_LIMIT_MS = 60_000;

/** What vLLM's get_ip() finds: VLLM_HOST_IP, else the way out. */
export function hostAddress(machine: Machine): string {
  return process.env['VLLM_HOST_IP'] ?? ownAddress(machine);
}

/** Waits for the placement group, then for torch.distributed. Resolves with the addresses of the ranks, this machine's first. */
export async function placeOnRay(machine: Machine, worldSize: number): Promise<string[]> {
  const gcs = listeners(machine.folder).find((one) => one.kind === 'gcs');
  if (!gcs) {
    return fail(
      `${engineTag()} ConnectionError: Could not find any running Ray instance. Please specify the one to connect to by setting \`--address\` flag or \`RAY_ADDRESS\` environment variable.`,
    );
  }
  const own = hostAddress(machine);
  engine(
    'ray_utils.py:331',
    `Tensor parallel size (${worldSize}) exceeds available GPUs (${machine.containerGpus}). This may result in Ray placement group allocation failures. Consider reducing tensor_parallel_size to 1 or less, or ensure your Ray cluster has ${worldSize} GPUs available.`,
    'WARNING',
  );
  say(
    `${engineTag()} ${now()}\tINFO worker.py:1837 -- Connecting to existing Ray cluster at address: ${own}:${gcs.port}...`,
  );
  engine('ray_utils.py:401', 'No current placement group found. Creating a new placement group.');
  const nodes = await placementGroup(gcs.real, own, worldSize);
  const addresses = [own, ...nodes.map((node) => node.address).filter((address) => address !== own)].slice(
    0,
    worldSize,
  );
  await initDistributed(machine, nodes, addresses);
  return addresses;
}

async function placementGroup(gcs: number, own: string, worldSize: number): Promise<RayNode[]> {
  const bundles = [
    `{'GPU': 1.0, 'node:${own}': 0.001}`,
    ...Array.from({ length: worldSize - 1 }, () => "{'GPU': 1.0}"),
  ];
  const since = performance.now();
  let told = 10;
  for (;;) {
    const alive = (await askNodes(gcs))?.filter((node) => node.alive && node.gpu > 0) ?? [];
    const gpus = alive.reduce((sum, node) => sum + node.gpu, 0);
    if (gpus >= worldSize && alive.some((node) => node.address === own)) return alive;
    const waited = (performance.now() - since) / 1_000;
    if (waited > PLACEMENT_LIMIT_S) {
      fail(
        `${engineTag()} ValueError: Cannot provide a placement group requiring ${worldSize}.0 GPUs (placement_group_specs=[${bundles.join(', ')}]) within ${PLACEMENT_LIMIT_S} seconds.`,
      );
    }
    if (waited >= told) {
      engine(
        'ray_utils.py:229',
        `Waiting for creating a placement group of specs for ${told} seconds. specs=[${bundles.join(', ')}]. Check \`ray status\` and \`ray list nodes\` to see if you have enough resources, and make sure the IP addresses used by ray cluster are the same as VLLM_HOST_IP environment variable specified in each node if you are running on a multi-node.`,
      );
      told = told * 2 + 10;
    }
    await delay(LOOK_MS);
  }
}

async function initDistributed(
  machine: Machine,
  nodes: readonly RayNode[],
  addresses: readonly string[],
): Promise<void> {
  const [own = ''] = addresses;
  const port = 40_123;
  for (const [rank, address] of addresses.entries()) {
    worker(
      rank,
      address,
      'parallel_state.py:1392',
      `world_size=${addresses.length} rank=${rank} local_rank=0 distributed_init_method=tcp://${own}:${port} backend=nccl`,
    );
  }
  for (const [rank, address] of addresses.entries()) {
    const from = machineAt(machine, nodes.find((node) => node.address === address)?.hostname);
    if (rank > 0 && from && findWay(from, own, port).kind === 'unreachable')
      await failToConnect(rank, address, own, port);
  }
  for (const [rank, address] of addresses.entries()) {
    worker(
      rank,
      address,
      'parallel_state.py:1714',
      `rank ${rank} in world size ${addresses.length} is assigned as DP rank 0, PP rank 0, PCP rank 0, TP rank ${rank}, EP rank ${rank}`,
    );
  }
}

async function failToConnect(rank: number, address: string, own: string, port: number): Promise<never> {
  await delay(CONNECT_LIMIT_MS);
  const text = `The client socket has failed to connect to any network address of (${own}, ${port}).`;
  say(`${engineTag()} ${workerTag(rank, address)} [E socket.cpp:1023] [c10d] ${text}`);
  worker(rank, address, 'worker_base.py:342', `torch.distributed.DistNetworkError: ${text}`, 'ERROR');
  return coreFailed();
}

/** An engine whose worker or Ray dies, dies too. */
export function watchNodes(machine: Machine, addresses: readonly string[]): void {
  const timer = setInterval(() => {
    void look().then((alive) => {
      const lost = addresses.find((address) => !alive.includes(address));
      if (lost === undefined) return;
      clearInterval(timer);
      engine('core.py:844', 'EngineCore encountered a fatal error.', 'ERROR');
      const reason = 'ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.';
      engine('core.py:844', `${reason} The node with IP address ${lost} has died.`, 'ERROR');
      api('async_llm.py:546', 'AsyncLLM output_handler failed.', 'ERROR');
      fail(
        `(APIServer pid=${process.pid}) vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.`,
      );
    });
  }, WATCH_MS);

  async function look(): Promise<string[]> {
    const gcs = listeners(machine.folder).find((one) => one.kind === 'gcs');
    const nodes = gcs && (await askNodes(gcs.real));
    return (nodes ?? []).filter((node) => node.alive).map((node) => node.address);
  }
}

export function coreFailed(): never {
  engine('core.py:936', 'EngineCore failed to start.', 'ERROR');
  return fail(
    `(APIServer pid=${process.pid}) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}`,
  );
}

function machineAt(machine: Machine, hostname = ''): Machine | undefined {
  const network = dirname(machine.folder);
  return listFolder(network).includes(hostname) ? readMachine(join(network, hostname)) : undefined;
}

function now(): string {
  return new Date().toISOString().replace('T', ' ').replace('.', ',').replace('Z', '');
}
