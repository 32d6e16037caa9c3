"""vLLM's log lines: a prefix per process, a record head per line."""

import os
import sys
import time


class Prefixed:
    """A stream whose lines begin with the name of their process."""

    def __init__(self, stream, prefix):
        self.stream = stream
        self.prefix = prefix
        self.at_start = True

    def write(self, text):
        parts = text.split("\n")
        out = []
        for at, part in enumerate(parts):
            # A bar keeps its own line.
            if part and self.at_start and not part.startswith("\r"):
                out.append(self.prefix)
            out.append(part)
            if at < len(parts) - 1:
                out.append("\n")
                self.at_start = True
            elif part:
                self.at_start = False
        self.stream.write("".join(out))
        self.stream.flush()
        return len(text)

    def flush(self):
        self.stream.flush()

    def fileno(self):
        return self.stream.fileno()

    def isatty(self):
        return False


def prefix_streams(name):
    prefix = f"({name} pid={os.getpid()}) "
    sys.stdout = Prefixed(sys.__stdout__, prefix)
    sys.stderr = Prefixed(sys.__stderr__, prefix)


def info(place, text):
    record("INFO", place, text)


def warning(place, text):
    record("WARNING", place, text)


def error(place, text):
    record("ERROR", place, text)


def record(level, place, text):
    head = f"{level} {time.strftime('%m-%d %H:%M:%S')} [{place}]"
    for each in text.split("\n"):
        line(f"{head} {each}")


def line(text):
    """In one piece: several threads write."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
