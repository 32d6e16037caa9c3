"""python3 - ray-nodes --expect A,B --limit SECONDS: the nodes that Ray knows, inside the head's container.

Prints a JSON list per change: [{"address", "hostname", "alive", "gpu", "head"}, ...]. Ends when every expected address
is alive with a GPU, when something shows that waiting can't change (an alive node elsewhere, one without a GPU), or at
the limit. `ray status` lags by seconds, so it is not asked.
"""

import argparse
import json
import signal
import sys
import time

import ray

PAUSE_SECONDS = 0.3
# A server that has just begun to listen may refuse a few times.
TOLD_AT = 5


def main():
    options = parse(sys.argv[1:])
    expected = set(options.expect.split(","))
    ends_at = time.monotonic() + options.limit
    # Ray may block for a minute when its server has gone.
    signal.alarm(int(options.limit) + 2)

    last = None
    refused = 0
    while True:
        nodes, problem = look()
        refused = refused + 1 if problem else 0
        if refused == TOLD_AT:
            print(problem, file=sys.stderr, flush=True)
        text = json.dumps(nodes)
        if text != last:
            print(text, flush=True)
            last = text
        if settled(nodes, expected) or time.monotonic() >= ends_at:
            return
        time.sleep(PAUSE_SECONDS)


def parse(words):
    parser = argparse.ArgumentParser(prog="ray-nodes")
    parser.add_argument("program", choices=["ray-nodes"])
    parser.add_argument("--expect", required=True)
    parser.add_argument("--limit", type=float, required=True)
    return parser.parse_args(words)


def look():
    try:
        if not ray.is_initialized():
            ray.init(address="auto", logging_level=40, log_to_driver=False)
        return sorted((describe(node) for node in ray.nodes()), key=lambda node: node["address"]), None
    except (ConnectionError, RuntimeError, TimeoutError, ray.exceptions.RayError) as error:
        return [], str(error) or repr(error)


def describe(node):
    resources = node.get("Resources", {})
    return {
        "address": node["NodeManagerAddress"],
        "hostname": node["NodeManagerHostname"],
        "alive": node["Alive"],
        "gpu": resources.get("GPU", 0),
        "head": "node:__internal_head__" in resources,
    }


def settled(nodes, expected):
    alive = [node for node in nodes if node["alive"]]
    if any(node["address"] not in expected or node["gpu"] < 1 for node in alive):
        return True
    return {node["address"] for node in alive} == expected


if __name__ == "__main__":
    main()
