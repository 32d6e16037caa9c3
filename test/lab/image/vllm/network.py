"""Which address a process takes for its own, as vLLM's get_ip() does."""

import os
import socket
import subprocess


def get_ip():
    told = os.environ.get("VLLM_HOST_IP")
    if told:
        return told
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Sends nothing: asks which way out there is.
            probe.connect(("8.8.8.8", 80))
            return probe.getsockname()[0]
        except OSError:
            return "0.0.0.0"


def get_open_port():
    with socket.socket() as probe:
        probe.bind(("", 0))
        return probe.getsockname()[1]


def gpu_count():
    try:
        lines = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        return 0
    return len([line for line in lines if line.startswith("GPU ")])
