import type { PlanNode } from '../plan.ts';

/** Which address and interface a node uses for each layer: Ray, vLLM, NCCL, Gloo, PyTorch's TensorPipe, UCX, MPI. */
function networkEnv({ fabric }: Pick<PlanNode, 'fabric'>): Record<string, string> {
  return {
    VLLM_HOST_IP: fabric.address,
    RAY_NODE_IP_ADDRESS: fabric.address,
    RAY_OVERRIDE_NODE_IP_ADDRESS: fabric.address,
    NCCL_SOCKET_IFNAME: fabric.interface,
    GLOO_SOCKET_IFNAME: fabric.interface,
    TP_SOCKET_IFNAME: fabric.interface,
    UCX_NET_DEVICES: fabric.interface,
    OMPI_MCA_btl_tcp_if_include: fabric.interface,
    ...(fabric.rdma.length > 0 && { NCCL_IB_HCA: fabric.rdma.join(',') }),
  };
}

/** Variables that only the cluster's description may set, since each node has its own value. */
export const PER_NODE_VARIABLES: ReadonlySet<string> = new Set(
  Object.keys(networkEnv({ fabric: { address: '', interface: '', rdma: [''] } })),
);

export interface NodeEnvOptions {
  fabric: PlanNode['fabric'];
  cache: string;
  /** Our limit for the load phase: the engine's own must not come first. */
  loadMs: number;
  recipe: Readonly<Record<string, string>>;
}

const ENGINE_MARGIN_SECONDS = 600;

/** The environment of the node's container. A recipe may change the defaults, not what belongs to the node. */
export function nodeEnv({ fabric, cache, loadMs, recipe }: NodeEnvOptions): Record<string, string> {
  return {
    HOME: '/tmp',
    HF_HOME: cache,
    HF_HUB_OFFLINE: '1',
    // Ray's monitor kills a worker that loads weights into unified memory.
    RAY_memory_monitor_refresh_ms: '0',
    RAY_DEDUP_LOGS: '0',
    VLLM_ENGINE_READY_TIMEOUT_S: String(Math.ceil(loadMs / 1000) + ENGINE_MARGIN_SECONDS),
    ...recipe,
    ...networkEnv({ fabric }),
  };
}
