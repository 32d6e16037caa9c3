"""make-model.py NAME HUB: a small model of that name in a Hugging Face cache folder, in real safetensors files."""

import json
import struct
import sys
from pathlib import Path

SHARDS = 39
TENSOR_BYTES = 65_536
REVISION = "6c1f9f0b1a4e4f7f8f3d2a5b9c7e1d0a2b3c4d5e"
CONFIG = {
    "architectures": ["Qwen3_5MoeForConditionalGeneration"],
    "model_type": "qwen3_5_moe",
    "max_position_embeddings": 262_144,
}


def main(name, hub):
    repository = Path(hub) / f"models--{name.replace('/', '--')}"
    snapshot = repository / "snapshots" / REVISION
    snapshot.mkdir(parents=True, exist_ok=True)
    (repository / "refs").mkdir(exist_ok=True)
    (repository / "refs" / "main").write_text(REVISION)
    (snapshot / "config.json").write_text(json.dumps(CONFIG, indent=2))
    places = {}
    for shard in range(1, SHARDS + 1):
        file = f"model-{shard:05}-of-{SHARDS:05}.safetensors"
        tensor = f"model.layers.{shard - 1}.mlp.weight"
        places[tensor] = file
        (snapshot / file).write_bytes(safetensors(tensor))
    index = {"metadata": {"total_size": SHARDS * TENSOR_BYTES}, "weight_map": places}
    (snapshot / "model.safetensors.index.json").write_text(json.dumps(index, indent=2))


def safetensors(name):
    """The format: length of the header in 8 bytes, the header in JSON, the data."""
    rows = TENSOR_BYTES // 2 // 128
    header = json.dumps({name: {"dtype": "F16", "shape": [rows, 128], "data_offsets": [0, TENSOR_BYTES]}}).encode()
    return struct.pack("<Q", len(header)) + header + bytes(TENSOR_BYTES)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
