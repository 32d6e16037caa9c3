"""The engine's process: brings the ranks up, then answers steps until one fails."""

import os
import sys
import traceback

from vllm import __version__
from vllm.log import error, info, prefix_streams


def run(options, pipe):
    prefix_streams("EngineCore_DP0")
    world_size = options.tensor_parallel_size * options.pipeline_parallel_size
    info(
        "core.py:102",
        f"Initializing a V1 LLM engine (v{__version__}) with config: model='{options.model}', speculative_config=None, "
        f"tensor_parallel_size={options.tensor_parallel_size}, pipeline_parallel_size={options.pipeline_parallel_size}",
    )
    try:
        executor = executor_for(world_size)
        executor.init_and_load(options.model)
    except Exception:
        error("core.py:936", f"EngineCore failed to start.\n{traceback.format_exc().rstrip()}")
        sys.exit(1)
    info("kv_cache_utils.py:1314", "GPU KV cache size: 1,774,400 tokens")
    info("kv_cache_utils.py:1319", f"Maximum concurrency for {options.max_model_len} tokens per request: 6.77x")
    info("gpu_model_runner.py:5051", "Graph capturing finished in 0 secs, took 0.66 GiB")
    info("core.py:282", "init engine (profile, create kv cache, warmup model) took 0.10 seconds")
    pipe.send("ready")
    try:
        while True:
            pipe.send(executor.step(pipe.recv()))
    except EOFError:
        return
    except Exception:
        error("core.py:844", f"EngineCore encountered a fatal error.\n{traceback.format_exc().rstrip()}")
        sys.exit(1)


def executor_for(world_size):
    # For measuring what happens around an engine.
    if os.environ.get("LAB_LOADS_NOTHING"):
        return Nothing()
    if world_size == 1:
        return Alone()
    from vllm.ray_executor import RayExecutor

    return RayExecutor(world_size)


class Nothing:
    """No ranks, no weights."""

    def init_and_load(self, model):
        pass

    def step(self, value):
        return value


class Alone:
    """One rank, in this process."""

    def init_and_load(self, model):
        from vllm.network import get_ip, get_open_port
        from vllm.worker import RayWorkerWrapper

        self.worker = RayWorkerWrapper()
        self.worker.init_device(0, 1, f"tcp://{get_ip()}:{get_open_port()}")
        self.worker.load_model(model)

    def step(self, value):
        return self.worker.step(value)
