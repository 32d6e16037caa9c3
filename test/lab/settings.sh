# Names and addresses of the lab, and how to reach into its hosts. Sourced by lab.sh.

LAB=${BASH_SOURCE[0]%/*}
# Keys, logs, the hosts' homes: gone after `down`.
STATE=/run/sparkops-lab
# Docker's data and downloads: kept between runs.
CACHE=${SPARKOPS_LAB_CACHE:-/var/cache/sparkops-lab}

HOSTS='spark1 spark2'
LOGIN=aurora
HOME_SIZE=256m

MANAGEMENT_IF=enP7s7 FABRIC_IF=enp1s0f0np0 ROOT_IF=lab-management
MANAGEMENT_NET=10.1.230.0/24 FABRIC_NET=192.168.200.0/24
ROOT_ADDRESS=10.1.230.1 HEAD_ADDRESS=10.1.230.180 NOWHERE=10.1.230.254
HEAD_FABRIC=192.168.200.12 WORKER_FABRIC=192.168.200.13

IMAGE=hellohal2064/vllm-qwen3.5-gb10
MODEL=Qwen/Qwen3.5-122B-A10B-FP8

fail() {
  echo "lab: $*" >&2
  exit 1
}

say() {
  awk -v now="$EPOCHREALTIME" -v since="$BEGAN" -v text="$*" 'BEGIN { printf "lab %6.2f s  %s\n", now - since, text }'
}

# within SECONDS COMMAND...: until it succeeds.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.1
  done
}

# A host's first process, as this machine numbers it.
host_pid() {
  cat "$STATE/$1/init.pid" 2>/dev/null
}

alive() {
  local pid
  pid=$(host_pid "$1") && grep -qsz "lab-host-$1" "/proc/$pid/cmdline"
}

up() {
  local host
  for host in $HOSTS; do
    alive "$host" || return 1
  done
}

# on HOST COMMAND...: as that host's root, in its namespaces and its control groups.
on() (
  host=$1
  shift
  enter_group "$host"
  # What it starts must not keep the lock of lab.sh.
  exec nsenter -t "$(host_pid "$host")" -m -u -i -n -p -- env -i PATH="$HOST_PATH" HOME=/root "$@" 9>&-
)
HOST_PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# Control groups, version 1 or 2: one group a host, its containers below it.
groups_of() {
  local root
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    echo "/sys/fs/cgroup/lab-$1"
    return
  fi
  for root in /sys/fs/cgroup/*; do
    [ ! -e "$root/cgroup.procs" ] || echo "$root/lab-$1"
  done
}

make_group() {
  local group file
  for group in $(groups_of "$1"); do
    mkdir -p "$group/host"
    for file in cpuset.cpus cpuset.mems; do
      [ -e "$group/$file" ] && [ -e "${group%/*}/$file" ] || continue
      cat "${group%/*}/$file" >"$group/$file"
      cat "$group/$file" >"$group/host/$file"
    done
  done
}

enter_group() {
  local group
  for group in $(groups_of "$1"); do
    echo "$BASHPID" >"$group/host/cgroup.procs" 2>/dev/null || true
  done
}

remove_group() {
  local group
  for group in $(groups_of "$1"); do
    [ ! -d "$group" ] || within 5 remove_tree "$group" || true
  done
}

remove_tree() {
  find "$1" -depth -type d -exec rmdir {} + 2>/dev/null
  [ ! -d "$1" ]
}
