"""Behaves as vLLM 0.17 does over Ray, on CPUs and with a tiny model: see ray_executor.py. No model is computed."""

__version__ = "0.17.0"
