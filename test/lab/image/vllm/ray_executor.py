"""Where the ranks run and how they find each other: vLLM's ray_utils.py and ray_executor.py, the parts that fail."""

import json
import os
import time
from collections import defaultdict
from pathlib import Path

import ray
from ray.util.placement_group import placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from vllm.log import info, warning
from vllm.network import get_ip, get_open_port, gpu_count
from vllm.worker import RayWorkerWrapper

PLACEMENT_LIMIT_SECONDS = 1800
CARRIED = ("VLLM_", "NCCL_", "UCX_", "HF_", "LMCACHE_")


class RayExecutor:
    def __init__(self, world_size):
        self.world_size = world_size
        if world_size > gpu_count():
            warning(
                "ray_utils.py:331",
                f"Tensor parallel size ({world_size}) exceeds available GPUs ({gpu_count()}). This may result in Ray "
                "placement group allocation failures. Consider reducing tensor_parallel_size to 1 or less, or ensure "
                f"your Ray cluster has {world_size} GPUs available.",
            )
        ray.init(address="auto")
        self.group = self.place()
        self.workers = self.start_workers()

    def place(self):
        info("ray_utils.py:401", "No current placement group found. Creating a new placement group.")
        bundles = [{"GPU": 1.0} for _ in range(self.world_size)]
        # The first rank belongs on the driver's node, which Ray knows by the address that it registered.
        bundles[0][f"node:{get_ip()}"] = 0.001
        group = placement_group(bundles, strategy="PACK")
        wait_until_ready(group, bundles, self.world_size)
        return group

    def start_workers(self):
        actor = ray.remote(RayWorkerWrapper)
        workers = [
            actor.options(
                num_cpus=0,
                num_gpus=1,
                scheduling_strategy=PlacementGroupSchedulingStrategy(
                    placement_group=self.group, placement_group_bundle_index=bundle
                ),
            ).remote()
            for bundle in range(self.world_size)
        ]
        addresses = ray.get([worker.get_node_ip.remote() for worker in workers])
        nodes = ray.get([worker.get_node_id.remote() for worker in workers])
        own = ray.get_runtime_context().get_node_id()
        # Ranks of the driver's node come first.
        order = sorted(range(self.world_size), key=lambda at: (nodes[at] != own, addresses[at]))
        check_addresses([nodes[at] for at in order], addresses)
        workers = [workers[at] for at in order]
        carried = carried_variables()
        info("ray_env.py:65", f"Copying the following environment variables to workers: {sorted(carried)}")
        ray.get([worker.update_environment.remote(carried) for worker in workers])
        return workers

    def init_and_load(self, model):
        init_method = f"tcp://{get_ip()}:{get_open_port()}"
        self.all("init_device", lambda rank: (rank, self.world_size, init_method))
        self.all("load_model", lambda _rank: (model,))

    def step(self, value):
        return self.all("step", lambda _rank: (value,))[0]

    def all(self, method, arguments):
        return ray.get([getattr(worker, method).remote(*arguments(rank)) for rank, worker in enumerate(self.workers)])


def wait_until_ready(group, bundles, world_size):
    begun = time.monotonic()
    ready = group.ready()
    pause = 10
    while time.monotonic() - begun < PLACEMENT_LIMIT_SECONDS:
        if ray.wait([ready], timeout=pause)[0]:
            return
        pause *= 2
        info(
            "ray_utils.py:229",
            f"Waiting for creating a placement group of specs for {int(time.monotonic() - begun)} seconds. "
            f"specs={bundles}. Check `ray status` and `ray list nodes` to see if you have enough resources, and make "
            "sure the IP addresses used by ray cluster are the same as VLLM_HOST_IP environment variable specified in "
            "each node if you are running on a multi-node.",
        )
    raise ValueError(
        f"Cannot provide a placement group requiring {world_size}.0 GPUs (placement_group_specs={bundles}) within "
        f"{PLACEMENT_LIMIT_SECONDS} seconds."
    )


def check_addresses(nodes, addresses):
    by_node = defaultdict(list)
    for rank, node in enumerate(nodes):
        by_node[node].append(rank)
    unique = {*addresses, get_ip()}
    if len(unique) == len(by_node):
        return
    raise RuntimeError(
        f"Every node should have a unique IP address. Got {len(by_node)} nodes with node ids {list(by_node)} and "
        f"{len(unique)} unique IP addresses {unique}. Please check your network configuration. If you set "
        "`VLLM_HOST_IP` environment variable, make sure it is unique for each node."
    )


def carried_variables():
    folder = Path(os.environ.get("VLLM_CONFIG_ROOT", Path.home() / ".config/vllm"))
    file = folder / "ray_non_carry_over_env_vars.json"
    excluded = {"VLLM_HOST_IP", "VLLM_HOST_PORT", "LOCAL_RANK", "CUDA_VISIBLE_DEVICES"}
    if file.exists():
        excluded |= set(json.loads(file.read_text()))
    return {name: value for name, value in os.environ.items() if name.startswith(CARRIED) and name not in excluded}
