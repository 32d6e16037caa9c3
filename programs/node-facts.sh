# Functions of the programs that look at a node. Their text is sent ahead of each of these programs, on standard input:
# nothing here may read it, so every command gets /dev/null.

# section NAME COMMAND...: a line "# NAME", each line of the output behind a blank, and " rc=N".
section() {
  echo "# $1"
  shift
  { "$@" </dev/null 2>&1; printf '\nrc=%s\n' "$?"; } | sed 's/^/ /'
}

# gpu: what the node's GPU is and does, in one line.
gpu() {
  section gpu nvidia-smi --query-gpu=name,driver_version,power.draw,temperature.gpu,utilization.gpu --format=csv,noheader,nounits
}

# containers REALM STATE [records]: what the realm has on this node. Sets list: everybody's containers, and images: ids of
# what the realm's were started from.
containers() {
  list=$(docker ps --all --no-trunc --format '{{.ID}}|{{.Names}}|{{.Status}}|{{.Label "sparkops.realm"}}' </dev/null 2>&1)
  code=$? seen=' ' images=''
  if [ "$code" -ne 0 ]; then
    section containers listed "$code"
    list=''
    return
  fi
  ours=$(printf '%s\n' "$list" | awk -F '|' -v realm="$1" 'NF == 4 && $4 == realm { print $2 }')
  section containers printf '%s\n' "$ours"
  for name in $ours; do
    container "$name" "$2" "${3-}"
  done
}

# listed CODE: what was listed, and how that ended.
listed() {
  [ -z "$list" ] || printf '%s\n' "$list"
  return "$1"
}

# container NAME STATE [records]: state, labels and engine of one container.
container() {
  # Only these fields leave the node: the environment in the full answer may hold secrets.
  if answer=$(docker inspect --format '{{json .}}' "$1" 2>&1 </dev/null); then
    fields=$(printf '%s\n' "$answer" | tr ',{}' '\n\n\n' | sed -n \
      -e 's/^"Id":"\([0-9a-f]*\)"$/id=\1/p' \
      -e 's/^"Image":"\(sha256:[0-9a-f]*\)"$/image=\1/p' \
      -e 's/^"Running":\([a-z]*\)$/running=\1/p' \
      -e 's/^"OOMKilled":\([a-z]*\)$/oom=\1/p' \
      -e 's/^"ExitCode":\([0-9]*\)$/exit=\1/p' \
      -e 's/^"StartedAt":"\([^"]*\)"$/started=\1/p' \
      -e 's/^"FinishedAt":"\([^"]*\)"$/finished=\1/p' \
      -e 's/^"sparkops\.\([a-z]*\)":"\([^"]*\)"$/label-\1=\2/p')
  else
    fields="problem=$answer"
  fi
  uid=$(printf '%s\n' "$fields" | sed -n 's/^label-deployment=//p' | sed 1q)
  images="$images $(printf '%s\n' "$fields" | sed -n 's/^image=//p' | sed 1q)"
  run=$2/runs/$uid
  engine_of "$1" "$uid" "$run"
  section "container $1" printf '%s\n' "$fields" "engine=$engine" \
    "serve-started=$(first_line "$run/serve.started")" "serve-exit=$(first_line "$run/serve.exit")"
  [ "$engine ${3-}" != 'alive records' ] || section "record $1" cat "$run/deployment.json"
}

# engine_of CONTAINER UID RUN: sets engine to alive, none, or unknown. Whoever removes containers takes unknown for alive.
engine_of() {
  if printf '%s\n' "$fields" | grep -q '^running=false$' || [ -e "$3/serve.exit" ]; then
    engine=none
  elif processes=$(docker top "$1" -eo pid,args </dev/null 2>/dev/null); then
    seen="$seen$(printf '%s\n' "$processes" | awk '{ print $1 }' | tr '\n' ' ')"
    case $processes in
      *"/runs/$2/serve.py"*) engine=alive ;;
      *) engine=none ;;
    esac
  else
    engine=unknown
  fi
}

first_line() {
  sed 1q "$1" 2>/dev/null
}
