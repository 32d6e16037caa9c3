"""serve.py RUN -- ARGV...: runs an engine, detached, inside the head's container.

Writes RUN/serve.pid, copies the engine's output to RUN/serve.log, and at the end writes RUN/serve.exit: the exit code,
or "signal N". The log never takes more than two files of LIMIT bytes: serve.log and serve.log.1. A full disk costs its
lines, never the engine.
"""

import errno
import os
import select
import signal
import subprocess
import sys
import time

LIMIT = 50 * 1024 * 1024
# The engine's own processes may keep its output open after it has ended.
DRAIN_SECONDS = 5


class Log:
    def __init__(self, path):
        self.path = path
        self.file = open(path, "ab", buffering=0)
        self.size = self.file.tell()

    def write(self, data):
        try:
            self.append(data)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise

    def append(self, data):
        if self.size + len(data) > LIMIT:
            self.file.close()
            os.replace(self.path, self.path + ".1")
            self.file = open(self.path, "ab", buffering=0)
            self.size = 0
        self.size += self.file.write(data)


def main(run, argv):
    os.umask(0o077)
    log = Log(os.path.join(run, "serve.log"))
    # Its end can be told on a full disk too: that file has its room from now on.
    write(os.path.join(run, "serve.exit.new"), " " * 32)
    try:
        engine = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
    except OSError as error:
        log.write(f"serve.py: {argv[0]}: {error.strerror}\n".encode())
        put(run, "serve.exit", "127" if isinstance(error, FileNotFoundError) else "126")
        return

    put(run, "serve.pid", str(engine.pid))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda received, _frame: tell(engine, received))

    copy(engine, log)
    tell(engine, signal.SIGKILL)
    code = engine.wait()
    put(run, "serve.exit", str(code) if code >= 0 else f"signal {-code}")


def copy(engine, log):
    """Until the output ends, or the engine has and its output is drained."""
    output = engine.stdout.fileno()
    ends_at = None
    while ends_at is None or time.monotonic() < ends_at:
        if ends_at is None and engine.poll() is not None:
            ends_at = time.monotonic() + DRAIN_SECONDS
        ready, _, _ = select.select([output], [], [], 0.2)
        if not ready:
            if ends_at is not None:
                return
            continue
        data = os.read(output, 65536)
        if not data:
            break
        log.write(data)
    # An engine may close its output and go on.
    engine.wait()


def tell(engine, number):
    try:
        os.killpg(engine.pid, number)
    except ProcessLookupError:
        pass


def put(run, name, text):
    path = os.path.join(run, name)
    write(path + ".new", text + "\n")
    os.replace(path + ".new", path)


def write(path, text):
    """In the room that the file has, before it is cut: a full disk gives none back."""
    with open(path, "r+" if os.path.exists(path) else "w") as file:
        file.write(text)
        file.truncate()


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[2] != "--":
        sys.exit("serve.py RUN -- ARGV...")
    main(sys.argv[1], sys.argv[3:])
