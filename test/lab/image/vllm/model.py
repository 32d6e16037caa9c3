"""A model's files: found as the Hugging Face cache keeps them, read with safetensors."""

import json
import os
import sys
import time
from pathlib import Path

from vllm.log import info

BAR = "{desc}: {percentage:3.0f}% Completed | {n_fmt}/{total_fmt} [{elapsed}<{remaining}, {rate_fmt}]\n"


def read_config(model):
    return json.loads((folder_of(model) / "config.json").read_text())


def folder_of(model):
    if Path(model).is_dir():
        return Path(model)
    home = Path(os.environ.get("HF_HOME", Path.home() / ".cache/huggingface"))
    repository = home / "hub" / f"models--{model.replace('/', '--')}"
    for snapshot in sorted(repository.glob("snapshots/*")):
        return snapshot
    raise FileNotFoundError(
        "Cannot find an appropriate cached snapshot folder for the specified revision on the local disk and outgoing "
        f"traffic has been disabled: {repository}"
    )


def load(model, rank):
    """Bytes read. LAB_LOAD_SECONDS spreads them: a tiny model loads in no time."""
    from safetensors import safe_open
    from tqdm import tqdm

    begun = time.monotonic()
    shards = sorted(folder_of(model).glob("*.safetensors"))
    pause = float(os.environ.get("LAB_LOAD_SECONDS", "2")) / max(1, len(shards))
    read = 0
    # tqdm asks a terminal's questions of the stream; only the first rank shows its bar.
    bar = tqdm(
        shards,
        desc="Loading safetensors checkpoint shards",
        disable=rank != 0,
        bar_format=BAR,
        file=sys.stderr,
        mininterval=0.2,
    )
    for shard in bar:
        with safe_open(shard, framework="pt", device="cpu") as file:
            for name in file.keys():
                read += file.get_tensor(name).nbytes
        time.sleep(pause)
    seconds = time.monotonic() - begun
    if rank == 0:
        info("default_loader.py:293", f"Loading weights took {seconds:.2f} seconds")
    info("gpu_model_runner.py:4221", f"Model loading took {read / 2**30:.4f} GiB memory and {seconds:.6f} seconds")
    return read
