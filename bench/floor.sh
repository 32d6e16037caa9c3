#!/bin/sh
# floor.sh open | deploy | engine | status HOST ARGS | clean | close, with ssh's configuration file as SSH_CONFIG: the lab's two hosts brought
# to serving as a careful person would by hand, over connections that are kept open. At most six commands a node. The
# yardstick of bench/run-lab.ts: not to be tuned.
#
# `deploy` prints a line at the end of each step; `engine` how long the engine itself took; `status` reads a program from
# standard input and runs it on HOST with the other arguments.
set -eu

IMAGE=hellohal2064/vllm-qwen3.5-gb10
MODEL=Qwen/Qwen3.5-122B-A10B-FP8
HEAD=192.168.200.12
WORKER=192.168.200.13
PORT=29501
FABRIC=enp1s0f0np0
SOCKETS=${SOCKETS:?a folder for the sockets of the kept connections}

on() {
  ssh -F "${SSH_CONFIG:?}" -o ControlPath="$SOCKETS/%n" "$@"
}

# start HOST ADDRESS RAY-ARGUMENTS...: the container of one node.
start() {
  host=$1 address=$2
  shift 2
  on "$host" docker run -d --pull=never --name floor --network host --ipc host --gpus all --ulimit memlock=-1 \
    --ulimit stack=67108864 --device /dev/infiniband --cap-add IPC_LOCK --cap-add SYS_PTRACE \
    --user '"$(id -u):$(id -g)"' -v /etc/passwd:/etc/passwd:ro -v /etc/group:/etc/group:ro \
    -v '"$HOME/.cache/huggingface:$HOME/.cache/huggingface"' -v '"$HOME/models:$HOME/models:ro"' \
    -e HOME=/tmp -e 'HF_HOME="$HOME/.cache/huggingface"' -e HF_HUB_OFFLINE=1 -e RAY_memory_monitor_refresh_ms=0 \
    -e RAY_DEDUP_LOGS=0 -e OMP_NUM_THREADS=4 -e LAB_LOADS_NOTHING=1 -e VLLM_HOST_IP="$address" \
    -e NCCL_SOCKET_IFNAME="$FABRIC" -e GLOO_SOCKET_IFNAME="$FABRIC" -e NCCL_IB_HCA=rocep1s0f0,roceP2p1s0f0 \
    --entrypoint ray "$IMAGE" start --block "$@" --node-ip-address "$address" --object-store-memory 1073741824 \
    --disable-usage-stats >/dev/null </dev/null
}

deploy() {
  start spark2 "$WORKER" --address "$HEAD:$PORT" &
  worker=$!
  start spark1 "$HEAD" --head --port "$PORT" --include-dashboard=false
  wait "$worker"
  echo containers

  on spark1 "until ss -ltnH | grep -q ':$PORT '; do sleep 0.25; done" </dev/null
  echo gcs

  on spark1 docker exec -i floor python3 - <<'PYTHON'
import time

import ray

while not ray.is_initialized():
    try:
        ray.init(address="auto", logging_level=40, log_to_driver=False)
    except (ConnectionError, RuntimeError):
        time.sleep(0.3)
while {node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]} != {"192.168.200.12", "192.168.200.13"}:
    time.sleep(0.3)
PYTHON
  echo nodes

  on spark1 docker exec -d floor sh -c "'exec vllm serve $MODEL --served-model-name qwen35 --port 8000 \
    --tensor-parallel-size 2 --distributed-executor-backend ray >/tmp/serve.log 2>&1'" </dev/null
  on spark1 'until curl -sf http://127.0.0.1:8000/health; do sleep 0.25; done' </dev/null
  echo health

  on spark1 curl -sf http://127.0.0.1:8000/v1/chat/completions -H "'Content-Type: application/json'" -d @- <<'JSON' | grep -q 42
{"model": "qwen35", "messages": [{"role": "user", "content": "What is 20 + 22? Answer with the number only."}]}
JSON
  echo completion
}

case $1 in
  open)
    for host in spark1 spark2; do on -o ControlMaster=yes -fN "$host"; done
    ;;
  deploy) deploy ;;
  engine) on spark1 docker exec floor grep "'seconds after the start'" /tmp/serve.log ;;
  status)
    shift
    host=$1
    shift
    on "$host" sh -s -- "$@"
    ;;
  clean)
    for host in spark1 spark2; do on "$host" docker rm -f floor >/dev/null 2>&1 || true; done
    ;;
  close)
    for host in spark1 spark2; do on -O exit "$host" 2>/dev/null || true; done
    ;;
esac
