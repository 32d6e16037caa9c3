"""`vllm serve MODEL --flags`: those that people use, in all the spellings that vLLM takes."""

import argparse
import re


def parse(words):
    parser = argparse.ArgumentParser(prog="vllm serve")
    parser.add_argument("model", nargs="?", default="Qwen/Qwen3-0.6B")
    parser.add_argument("--served-model-name", nargs="+")
    parser.add_argument("--host", default="0.0.0.0")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--tensor-parallel-size", "-tp", type=int, default=1)
    parser.add_argument("--pipeline-parallel-size", "-pp", type=int, default=1)
    parser.add_argument("--distributed-executor-backend", choices=["ray", "mp", "uni", "external_launcher"])
    parser.add_argument("--gpu-memory-utilization", type=float, default=0.9)
    parser.add_argument("--max-model-len", default="262144")
    for flag in ("--max-num-batched-tokens", "--max-num-seqs", "--tool-call-parser", "--reasoning-parser", "--dtype"):
        parser.add_argument(flag)
    for flag in ("--enable-prefix-caching", "--enable-auto-tool-choice", "--trust-remote-code", "--enforce-eager"):
        parser.add_argument(flag, action="store_true")
    return parser.parse_args([with_dashes(word) for word in words])


def with_dashes(word):
    """--tensor_parallel_size=2 is --tensor-parallel-size=2."""
    name, equals, value = word.partition("=")
    return f"{name.replace('_', '-')}{equals}{value}" if re.match(r"--\w", word) else word
