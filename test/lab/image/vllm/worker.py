"""One rank: a Ray actor, joined with the others by torch.distributed."""

import os
from datetime import timedelta

from vllm import model
from vllm.log import info
from vllm.network import get_ip


class RayWorkerWrapper:
    """The name stands in front of every line that Ray relays."""

    def get_node_ip(self):
        return get_ip()

    def get_node_id(self):
        import ray

        return ray.get_runtime_context().get_node_id()

    def update_environment(self, variables):
        os.environ.update(variables)

    def init_device(self, rank, world_size, init_method):
        import torch.distributed as dist

        info(
            "parallel_state.py:1392",
            f"world_size={world_size} rank={rank} local_rank=0 distributed_init_method={init_method} backend=gloo",
        )
        # The rank that listens is the more patient one: whoever can't reach it says so first.
        seconds = float(os.environ.get("LAB_RENDEZVOUS_SECONDS", "60")) * (2 if rank == 0 else 1)
        limit = timedelta(seconds=seconds)
        dist.init_process_group("gloo", init_method=init_method, rank=rank, world_size=world_size, timeout=limit)
        self.rank = rank
        if self.step(1) != world_size:
            raise RuntimeError("all_reduce gave a wrong sum")
        info(
            "parallel_state.py:1714",
            f"rank {rank} in world size {world_size} is assigned as DP rank 0, PP rank 0, PCP rank 0, TP rank {rank}, "
            f"EP rank {rank}",
        )

    def load_model(self, name):
        info("gpu_model_runner.py:4124", f"Starting to load model {name}...")
        model.load(name, self.rank)
        info("gpu_worker.py:424", "Available KV cache memory: 40.61 GiB")

    def step(self, value):
        """What every token costs: all ranks, over the network."""
        import torch
        import torch.distributed as dist

        tensor = torch.tensor([float(value)])
        dist.all_reduce(tensor)
        return int(tensor.item())
