"""The API server's process: it starts the engine's, and serves once that one is ready."""

import multiprocessing
import socket
import sys

from vllm import __version__, engine_core
from vllm.api import serve
from vllm.arguments import parse
from vllm.log import info, prefix_streams
from vllm.model import read_config
from vllm.network import gpu_count

LOGO = ("       █     █     █▄   ▄█", " ▄▄ ▄█ █     █     █ ▀▄▀ █  version {}", "  █▄█▀ █     █     █     █  model   {}")


def main(words):
    if words == ["--version"]:
        print(__version__)
        return 0
    if words[:1] != ["serve"]:
        print(f"vllm: error: argument subparser: invalid choice: {words[:1]}", file=sys.stderr)
        return 2
    options = parse(words[1:])
    prefix_streams("APIServer")
    for line in LOGO:
        info("utils.py:302", line.format(__version__ if "version" in line else options.model))
    info("utils.py:238", f"non-default args: {vars(options)}")

    # vLLM takes its port before anything else, and listens at the end.
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((options.host, options.port))
    config = read_config(options.model)
    info("model.py:531", f"Resolved architecture: {config['architectures'][0]}")
    info("model.py:1554", f"Using max model len {options.max_model_len}")
    check_world(options)

    ours, theirs = multiprocessing.Pipe()
    core = multiprocessing.get_context("spawn").Process(target=engine_core.run, args=(options, theirs))
    core.start()
    theirs.close()
    try:
        ours.recv()
    except EOFError:
        core.join()
        raise RuntimeError(
            "Engine core initialization failed. See root cause above. "
            f"Failed core proc(s): {{'EngineCore_DP0': {core.exitcode}}}"
        ) from None
    info("api_server.py:577", "Supported tasks: ['generate']")
    return serve(options, listener, ours, core)


def check_world(options):
    world = options.tensor_parallel_size * options.pipeline_parallel_size
    if options.distributed_executor_backend == "ray" or world <= gpu_count():
        return
    raise ValueError(
        "1 validation error for ParallelConfig\n"
        f"  Value error, World size ({world}) is larger than the number of available GPUs ({gpu_count()}) in this node. "
        "If this is intentional and you are using:\n"
        "- ray, set '--distributed-executor-backend ray'.\n"
        "- multiprocessing, set '--nnodes' appropriately."
    )
