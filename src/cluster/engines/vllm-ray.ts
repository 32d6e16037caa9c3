import type { Cluster, Node } from '../../config/cluster-file.ts';
import type { Recipe } from '../../config/recipe-file.ts';
import { OperatorError } from '../../errors.ts';
import type { PhaseName, Plan, PlanNode } from '../plan.ts';
import { withCarryOver } from './carry-over.ts';
import { chooseNodes } from './choose-nodes.ts';
import { limitsFrom } from './limits.ts';
import { nodeEnv, PER_NODE_VARIABLES } from './node-env.ts';
import type { PlanRequest } from './plan-request.ts';
import { complete, flagValues } from './serve-command.ts';

const DEFAULT_PORT = 8000;
const RAY_OBJECT_STORE_BYTES = 1_073_741_824;

/** vLLM over Ray: one container a node, Ray between them, `vllm serve` in the head's. One GPU a node. */
export function renderVllmRay(request: PlanRequest): Plan {
  const { cluster, recipe, values, overrides, uid, realm, timeouts } = request;
  refusePerNodeVariables(recipe);

  const sizes = {
    '--tensor-parallel-size': values['tensor_parallel'],
    '--pipeline-parallel-size': values['pipeline_parallel'],
  };
  const sized = complete(request.argv, sizes);
  const tensorParallel = sizeOf(sized.argv, '--tensor-parallel-size', recipe);
  const gpus = tensorParallel * sizeOf(sized.argv, '--pipeline-parallel-size', recipe);
  const used = chooseNodes(gpus, request);

  const reachable = complete(sized.argv, {
    '--host': values['host'] ?? '0.0.0.0',
    '--port': values['port'] ?? DEFAULT_PORT,
    '--distributed-executor-backend': used.length > 1 ? 'ray' : undefined,
  });
  refuseOtherBackend(reachable.argv, used.length, recipe);
  const port = sizeOf(reachable.argv, '--port', recipe);

  const [head, ...workers] = used;
  const render = (node: Node, rank: number) => renderNode({ request, node, rank, head });
  return {
    uid,
    realm,
    cluster: cluster.name,
    recipe: recipe.name,
    description: recipe.description,
    engine: 'vllm-ray',
    phases: phasesFor(used.length),
    model: recipe.model,
    servedName: flagValues(reachable.argv, '--served-model-name')[0] ?? servedModel(reachable.argv, recipe),
    image: recipe.container,
    tensorParallel,
    port,
    rayPort: cluster.ray_port,
    endpoint: `http://${head.address}:${port}`,
    overrides,
    nodes: withCarryOver([render(head, 0), ...workers.map((node, at) => render(node, at + 1))]),
    serve: { argv: reachable.argv, added: [...sized.added, ...reachable.added] },
    limits: limitsFrom(timeouts),
  };
}

function renderNode({
  request: { cluster, recipe, uid, realm, timeouts },
  node,
  rank,
  head,
}: {
  request: PlanRequest;
  node: Node;
  rank: number;
  head: Node;
}): PlanNode {
  const folders = foldersOf(cluster, node);
  const run = `${folders.state}/runs/${uid}`;
  const fabric = node.fabric;
  return {
    name: node.name,
    role: rank === 0 ? 'head' : 'worker',
    rank,
    address: node.address,
    fabric,
    paths: { ...folders, run },
    env: nodeEnv({ fabric, cache: folders.cache, loadMs: timeouts.load, recipe: recipe.env }),
    secrets: { ...recipe.secrets },
    container: {
      name: `sparkops-${uid}-${node.name}`,
      image: recipe.container,
      labels: {
        'sparkops.realm': realm,
        'sparkops.deployment': uid,
        'sparkops.recipe': recipe.name,
        'sparkops.node': node.name,
      },
      mounts: [
        { path: '/etc/passwd', readOnly: true },
        { path: '/etc/group', readOnly: true },
        { path: folders.cache, readOnly: false },
        { path: folders.models, readOnly: true },
        { path: run, readOnly: false },
      ],
      entrypoint: 'ray',
      args: rayStart(rank === 0 ? 'head' : 'worker', fabric.address, `${head.fabric.address}:${cluster.ray_port}`),
    },
  };
}

function foldersOf({ paths }: Cluster, node: Node): Cluster['paths'] {
  return {
    models: node.paths?.models ?? paths.models,
    cache: node.paths?.cache ?? paths.cache,
    state: node.paths?.state ?? paths.state,
  };
}

function rayStart(role: 'head' | 'worker', address: string, gcs: string): string[] {
  const port = gcs.slice(gcs.lastIndexOf(':') + 1);
  return [
    'start',
    '--block',
    ...(role === 'head' ? ['--head', '--port', port] : ['--address', gcs]),
    // Ray would register the address of the default route.
    '--node-ip-address',
    address,
    '--object-store-memory',
    String(RAY_OBJECT_STORE_BYTES),
    '--disable-usage-stats',
    ...(role === 'head' ? ['--include-dashboard=false'] : []),
  ];
}

function phasesFor(nodes: number): PhaseName[] {
  const workers: PhaseName[] = nodes > 1 ? ['start-workers'] : [];
  return ['preflight', 'approval', 'stop-previous', 'start-head', ...workers, 'verify-ray', 'serve', 'load', 'smoke'];
}

function refusePerNodeVariables({ name, env, secrets }: Recipe): void {
  const wrong = [...Object.keys(env), ...Object.keys(secrets)].filter((variable) => PER_NODE_VARIABLES.has(variable));
  if (wrong.length === 0) return;
  throw new OperatorError(
    'config',
    `Recipe ${name} sets ${wrong.join(', ')}, which every node has a value of its own for.`,
    {
      hint: 'Take it out of env: sparkops sets it per node, from the fabric lines of the cluster.',
    },
  );
}

function refuseOtherBackend(argv: readonly string[], nodes: number, { name }: Recipe): void {
  const backend = flagValues(argv, '--distributed-executor-backend').at(-1);
  if (nodes === 1 || backend === 'ray') return;
  throw new OperatorError(
    'config',
    `Recipe ${name} spans ${nodes} nodes with --distributed-executor-backend ${backend}, but its runtime is vllm-ray.`,
    { hint: 'Take that flag out of the command: sparkops adds --distributed-executor-backend ray.' },
  );
}

function sizeOf(argv: readonly string[], flag: string, { name }: Recipe): number {
  const text = flagValues(argv, flag).at(-1) ?? '1';
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new OperatorError('config', `Recipe ${name} gives ${flag} the value "${text}".`, {
    hint: 'It takes a whole number from 1.',
  });
}

/** What vLLM calls the model when the command doesn't say: the word after `vllm serve`. */
function servedModel(argv: readonly string[], { model }: Recipe): string {
  const [program, verb, name] = argv;
  return program === 'vllm' && verb === 'serve' && name !== undefined && !name.startsWith('-') ? name : model;
}
