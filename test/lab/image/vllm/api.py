"""The OpenAI server: health, models, metrics, and chat completions that know sums."""

import json
import os
import re
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from vllm.log import error, info, line

DEAD = "EngineCore encountered an issue. See stack trace (above) for the root cause."
# About what two Sparks do.
SECONDS_PER_TOKEN = 0 if os.environ.get("LAB_LOADS_NOTHING") else 0.037
METRICS = (
    ("gauge", "vllm:num_requests_running", "", "running"),
    ("gauge", "vllm:num_requests_waiting", "", "waiting"),
    ("counter", "vllm:prompt_tokens", "_total", "prompt"),
    ("counter", "vllm:generation_tokens", "_total", "generated"),
    ("counter", "vllm:request_success", "_total", "finished"),
)


def serve(options, listener, pipe, core):
    """Until the engine's process ends; then this one does too, as vLLM's does."""
    name = (options.served_model_name or [options.model])[0]
    handler = type("Handler", (Api,), {"engine": Engine(pipe), "model": name, "counts": Counts()})
    server = ThreadingHTTPServer(("", 0), handler, bind_and_activate=False)
    server.socket = listener
    server.server_activate()
    info("api_server.py:581", f"Starting vLLM API server 0 on http://{options.host}:{options.port}")
    for route in ("/health, Methods: GET", "/v1/models, Methods: GET", "/v1/chat/completions, Methods: POST"):
        info("launcher.py:46", f"Route: {route}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    info("launcher.py:58", f"Listening {seconds_since_start():.2f} seconds after the start of this process")
    for text in (f"Started server process [{os.getpid()}]", "Waiting for application startup.", "Application startup complete."):
        line(f"INFO:     {text}")
    core.join()
    error("async_llm.py:546", "AsyncLLM output_handler failed.")
    line(f"vllm.v1.engine.exceptions.EngineDeadError: {DEAD}")
    return 1


def seconds_since_start():
    ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")


class Engine:
    def __init__(self, pipe):
        self.pipe = pipe
        self.lock = threading.Lock()

    def step(self):
        with self.lock:
            self.pipe.send(1)
            return self.pipe.recv()


class Counts:
    def __init__(self):
        self.lock = threading.Lock()
        self.values = {"running": 0, "waiting": 0, "prompt": 0, "generated": 0, "finished": 0}

    def add(self, **more):
        with self.lock:
            for name, number in more.items():
                self.values[name] += number


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/health":
            self.answer(200, b"")
        elif self.path == "/v1/models":
            one = {"id": self.model, "object": "model", "created": int(time.time()), "owned_by": "vllm"}
            self.json(200, {"object": "list", "data": [one]})
        elif self.path == "/metrics":
            self.answer(200, self.metrics().encode(), "text/plain; version=0.0.4")
        else:
            self.json(404, {"detail": "Not Found"})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        if self.path != "/v1/chat/completions":
            self.json(404, {"detail": "Not Found"})
        elif asked.get("model", self.model) != self.model:
            message = f"The model `{asked['model']}` does not exist."
            self.json(404, {"error": {"message": message, "type": "NotFoundError", "param": "model", "code": 404}})
        else:
            self.counts.add(running=1)
            try:
                self.complete(asked)
            finally:
                self.counts.add(running=-1)

    def complete(self, asked):
        question = str(asked["messages"][-1]["content"])
        tokens = re.findall(r"\s*\S+", reply_to(question))[: asked.get("max_tokens")]
        used = {"prompt_tokens": len(question.split()), "completion_tokens": len(tokens)}
        usage = {**used, "total_tokens": sum(used.values())}
        head = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": self.model}
        if asked.get("stream"):
            self.stream(head, tokens, usage if (asked.get("stream_options") or {}).get("include_usage") else None)
        else:
            text = "".join(self.generate(tokens))
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            self.json(200, {**head, "object": "chat.completion", "choices": [choice], "usage": usage})
        self.counts.add(prompt=usage["prompt_tokens"], generated=len(tokens), finished=1)

    def stream(self, head, tokens, usage):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

        def choice(delta, finish=None):
            choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
            self.event({**head, "object": "chat.completion.chunk", "choices": choices})

        choice({"role": "assistant", "content": ""})
        for token in self.generate(tokens):
            choice({"content": token})
        choice({"content": ""}, "stop")
        if usage:
            self.event({**head, "object": "chat.completion.chunk", "choices": [], "usage": usage})
        self.chunk(b"data: [DONE]\n\n")
        self.chunk(b"")

    def generate(self, tokens):
        for token in tokens:
            self.engine.step()
            time.sleep(SECONDS_PER_TOKEN)
            yield token

    def event(self, value):
        self.chunk(f"data: {json.dumps(value)}\n\n".encode())

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def metrics(self):
        labels = f'{{engine="0",model_name="{self.model}"}}'
        return "".join(
            f"# TYPE {name}{end} {kind}\n{name}{end}{labels} {self.counts.values[key]}\n"
            for kind, name, end, key in METRICS
        )

    def json(self, status, value):
        self.answer(status, json.dumps(value).encode(), "application/json")

    def answer(self, status, body, kind="text/plain"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *values):
        place = f"{self.client_address[0]}:{self.client_address[1]}"
        line(f'INFO:     {place} - "{self.requestline}" {values[1] if len(values) > 1 else ""}')


def reply_to(question):
    found = re.search(r"(-?\d+)\s*([+*x×-])\s*(\d+)", question)
    if not found:
        return "Hello! How can I help you today?"
    one, sign, other = int(found[1]), found[2], int(found[3])
    result = one + other if sign == "+" else one - other if sign == "-" else one * other
    return f"The answer is {result}"
