"""python3 - ask-engine --url URL --model NAME --run RUN --load-limit S --limit S --question TEXT --answer NUMBER

Inside the head's container: waits until the engine answers, asks it one question, and looks at the answer. Ends with 1
when the engine has ended, when it does not answer within the limit, or when the answer is wrong.
"""

import argparse
import json
import os
import re
import sys
import time
import urllib.error
import urllib.request

PAUSE_SECONDS = 1


def main():
    options = parse(sys.argv[1:])
    wait_for(options)
    print("  the engine answers, now one question: " + options.question, flush=True)
    begun = time.monotonic()
    text = ask(options)
    print(f"  {text.strip()!r} after {time.monotonic() - begun:.1f} s", flush=True)
    plain = re.sub(r"<think>.*?</think>", "", text, flags=re.DOTALL)
    if options.answer not in re.findall(r"\d+", plain):
        sys.exit(f"The answer is wrong: {options.answer} is right.")


def parse(words):
    parser = argparse.ArgumentParser(prog="ask-engine")
    parser.add_argument("program", choices=["ask-engine"])
    for name in ["--url", "--model", "--run", "--question", "--answer"]:
        parser.add_argument(name, required=True)
    parser.add_argument("--load-limit", type=float, required=True)
    parser.add_argument("--limit", type=float, required=True)
    return parser.parse_args(words)


def wait_for(options):
    ends_at = time.monotonic() + options.load_limit
    while time.monotonic() < ends_at:
        if os.path.exists(options.run + "/serve.exit"):
            sys.exit("The engine has ended: see " + options.run + "/serve.log")
        try:
            with urllib.request.urlopen(options.url + "/health", timeout=5):
                return
        except urllib.error.HTTPError as error:
            if error.code == 401:
                return
        except OSError:
            pass
        time.sleep(PAUSE_SECONDS)
    sys.exit(f"The engine does not answer after {options.load_limit:.0f} s: see {options.run}/serve.log")


def ask(options):
    body = {
        "model": options.model,
        "messages": [{"role": "user", "content": options.question}],
        "max_tokens": 1024,
        "temperature": 0,
        "chat_template_kwargs": {"enable_thinking": False},
    }
    headers = {"Content-Type": "application/json"}
    key = os.environ.get("VLLM_API_KEY")
    if key:
        headers["Authorization"] = "Bearer " + key
    request = urllib.request.Request(options.url + "/v1/chat/completions", json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=options.limit) as answer:
            message = json.load(answer)["choices"][0]["message"]
    except urllib.error.HTTPError as error:
        sys.exit(f"The engine refuses a chat with status {error.code}: {error.read(500).decode(errors='replace')}")
    return message.get("content") or message.get("reasoning_content") or message.get("reasoning") or ""


if __name__ == "__main__":
    main()
