# Functions beside node-facts.sh: what others run on this node. Of their containers' environments, arguments and labels
# only the few words below leave the node, since the rest may hold secrets.

# foreign REALM [ID...]: after `containers`. Everybody else's containers that run, with those of these ids in any case; what
# computes on the GPU, and what listens.
foreign() {
  among=$1
  shift
  others=''
  # Loops of the shell instead of programs: a status starts no more processes than it must.
  while IFS='|' read -r id name status label; do
    case $id in
      '' | *[!0-9a-f]*) continue ;;
    esac
    # A label may hold anything, so it is the last field.
    [ "$label" != "$among" ] || continue
    case "$status $*" in
      Up* | Restarting* | *"$id"*) others="$others $id" ;;
    esac
  done <<END
$list
END
  if [ -n "$others" ]; then section foreign describe $others; else told foreign 0 ''; fi
  apps=$(nvidia-smi --query-compute-apps=pid,used_memory --format=csv,noheader,nounits </dev/null 2>&1)
  told gpu-apps "$?" "$apps"
  sockets=$(ss -ltnpH </dev/null 2>&1)
  told listeners "$?" "$sockets"
  listening='' pids=''
  while IFS=' ,' read -r pid _; do
    case $pid in
      '' | *[!0-9]*) ;;
      *) pids="$pids $pid" ;;
    esac
  done <<END
$apps
END
  # Whose a socket is matters where somebody else could have it.
  [ -z "$others" ] || listening=$(printf '%s\n' "$sockets" | sed -n 's/.*[(,]pid=\([0-9][0-9]*\),.*/\1/p')
  [ -z "$pids$listening" ] || accounted
}

# accounted: whose the processes of pids and listening are.
accounted() {
  [ -z "$pids" ] || {
    section user id -un
    section ours printf '%s\n' "$seen"
    processes_of $pids
  }
  cgroups=$(cgroups_of $pids $listening)
  section cgroups printf '%s\n' "$cgroups"
  # Where a cgroup doesn't name its container, Docker knows whose the process is.
  [ -n "$(unknown $pids)" ] || return 0
  for id in $others; do
    section "top $id" docker top "$id" -eo pid
  done
}

# told NAME CODE TEXT: a section of what a command has said.
told() {
  echo "# $1"
  while IFS= read -r line; do
    printf ' %s\n' "$line"
  done <<END
$3
END
  printf ' rc=%s\n' "$2"
}

# describe ID...: one command for all of them.
describe() {
  answer=$(docker inspect --format 'id={{.Id}}
name={{.Name}}
running={{.State.Running}}
started={{.State.StartedAt}}
image={{.Config.Image}}
user={{.Config.User}}
restart={{.HostConfig.RestartPolicy.Name}}
network={{.HostConfig.NetworkMode}}
runtime={{.HostConfig.Runtime}}
requests={{json .HostConfig.DeviceRequests}}
devices={{json .HostConfig.Devices}}
ports={{json .NetworkSettings.Ports}}
args={{json .Args}}
env={{json .Config.Env}}
labels={{json .Config.Labels}}
mounts={{json .Mounts}}' "$@" 2>&1)
  code=$?
  # Gone between the list and the look.
  problem=$(printf '%s\n' "$answer" | grep -i '^Error' | grep -vi 'no such')
  [ -z "$problem" ] || { printf '%s\n' "$problem"; return "$code"; }
  printf '%s\n' "$answer" | sed -n \
    -e 's/^name=\//name=/p' \
    -e '/^id=/p' -e '/^running=/p' -e '/^started=/p' -e '/^image=/p' -e '/^user=/p' -e '/^restart=/p' \
    -e '/^network=/p' -e '/^runtime=/p' \
    -e 's/^requests=\[{.*/gpu=yes/p' \
    -e 's/^devices=.*"\/dev\/nvidia[0-9].*/gpu=yes/p' \
    -e '/^ports=/p' \
    -e 's/^args=.*--port[=" ,]*\([0-9]\{1,5\}\).*/arg-port=\1/p' \
    -e 's/^env=.*"NVIDIA_VISIBLE_DEVICES=\([^"]*\)".*/visible=\1/p' \
    -e 's/^labels=.*"sparkops\.realm":"\([A-Za-z0-9._-]*\)".*/realm=\1/p' \
    -e 's/^mounts=.*"Source":"\([^"]*\)\/runs\/[a-z0-9]*".*/state=\1/p' |
    while IFS= read -r line; do
      case $line in
        id=*) whose='' ;;
        realm=*) whose=${line#realm=} ;;
      esac
      case $line in
        state=*) [ -z "$whose" ] || fence_of "${line#state=}" "$whose" ;;
        *) printf '%s\n' "$line" ;;
      esac
    done
  return 0
}

# fence_of STATE REALM: how many seconds ago that sparkops renewed its fence there: it works as long as it does.
fence_of() {
  if ! { [ -d "$1" ] && [ -x "$1" ]; }; then
    echo fence=unknown
    return
  fi
  [ -e "$1/fence" ] || return 0
  had_realm='' had_renewed=''
  {
    read -r had_realm _
    read -r _ had_renewed
  } 2>/dev/null <"$1/fence"
  [ "$had_realm" = "$2" ] || return 0
  case $had_renewed in
    '' | *[!0-9]*) echo fence=unknown ;;
    *) echo "fence=$(($(date +%s) - had_renewed))" ;;
  esac
}

# processes_of PID...: owner, start and the command's name: arguments may hold secrets.
processes_of() {
  list_of=$(echo "$*" | tr ' ' ',')
  section processes owners "$list_of"
  section starts starts "$@"
}

owners() {
  LC_ALL=C TZ=UTC0 ps -o pid= -o user:32= -o lstart= -o comm= -p "$1" 2>/dev/null ||
    LC_ALL=C TZ=UTC0 ps -o pid= -o user= -o lstart= -o comm= -p "$1"
}

# Clock ticks since the boot: with its pid they name a process for good.
starts() {
  for pid in "$@"; do
    sed -n "s/^.*) [A-Za-z] \([0-9-]* \)\{18\}\([0-9]*\) .*/$pid \2/p" "/proc/$pid/stat" 2>/dev/null
  done
  return 0
}

cgroups_of() {
  files=''
  for pid in "$@"; do
    files="$files /proc/$pid/cgroup"
  done
  [ -z "$files" ] || grep -HEo '[0-9a-f]{64}' $files 2>/dev/null
  return 0
}

# unknown PID...: those that neither a cgroup nor our own containers account for.
unknown() {
  for pid in "$@"; do
    case "$cgroups$seen" in
      *"/proc/$pid/cgroup:"* | *" $pid "*) ;;
      *) echo "$pid" ;;
    esac
  done
}
