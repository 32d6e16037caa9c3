# evidence.sh CONTAINER RUN: what would be gone with the container, for who looks for the cause later. Reads only; each
# part has a few seconds. No values of environment variables; what users asked is left out by who reads it.
container=$1 run=$2
few='timeout -k 1 4'

# Of each process inside: its stack if py-spy is there, else what the kernel tells of it.
stacks() {
  if $few docker exec "$container" sh -c 'command -v py-spy' </dev/null >/dev/null 2>&1; then
    $few docker exec "$container" sh -c 'for at in /proc/[0-9]*; do
      grep -aq python "$at/cmdline" 2>/dev/null || continue
      echo "process ${at#/proc/}"
      timeout 2 py-spy dump --pid "${at#/proc/}" 2>&1
    done'
    return
  fi
  echo 'the image has no py-spy'
  for pid in $($few docker top "$container" -eo pid,args 2>/dev/null | awk 'NR > 1 { print $1 }'); do
    echo "process $pid: $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | cut -c 1-120)"
    grep -E '^(State|VmRSS|Threads)' "/proc/$pid/status" 2>/dev/null
    echo "waits in $(cat "/proc/$pid/wchan" 2>/dev/null)"
    cat "/proc/$pid/stack" 2>/dev/null
  done
  return 3
}

kernel() {
  said=$($few dmesg 2>&1)
  code=$?
  printf '%s\n' "$said" | tail -n 100
  return "$code"
}

inspected() {
  said=$($few docker inspect --format '{{json .}}' "$container" 2>&1)
  code=$?
  # Of "NAME=value" only the name stays, wherever it stands.
  printf '%s\n' "$said" | sed -E 's/"([^="\\]*)=([^"\\]|\\.)*"/"\1=..."/g'
  return "$code"
}

log() {
  [ -e "$run/serve.log" ] || { echo "there is no $run/serve.log"; return 1; }
  tail -n 200 "$run/serve.log"
}

container_log() {
  $few docker logs --tail 100 "$container" 2>&1
}

section inspect inspected
section nvidia-smi $few nvidia-smi
section log log
section container-log container_log
section dmesg kernel
section memory cat /proc/meminfo
section stacks stacks
exit 0
