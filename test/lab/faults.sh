# What can be broken on a lab that is up, and mended. Sourced by lab.sh.

FAULTS='
  management-cut | management-mend         the link between here and spark1
  management-drop | management-pass        packets vanish, the link stays up
  fabric-cut | fabric-mend                 the link between the hosts
  fabric-drop | fabric-pass
  sshd-stop HOST | sshd-start HOST
  docker-stop HOST | docker-start HOST | docker-restart HOST
  gpu HOST ok | hidden | none | "TEXT"     seen in containers, not seen, no NVIDIA runtime, or it fails with TEXT
  disk-fill HOST | disk-free HOST          the disk of /home
  kill-container HOST NAME
  hold HOST TEXT [PROGRAM] [NAME] | release HOST [NAME]
                                           the next command of PROGRAM (docker, flock or mv) with TEXT in it waits before it starts
  freeze HOST | thaw HOST                  every process of the host stops
  power-off HOST | power-on HOST'

fault() {
  local what=${1-} host=${2-}
  up || [ "$what" = power-on ] || fail 'not up'
  case $what in
    management-cut) management_down ;;
    management-mend) management_up ;;
    management-drop) drop spark1 $MANAGEMENT_IF ;;
    management-pass) pass spark1 $MANAGEMENT_IF ;;
    fabric-cut) ip -n spark1 link set $FABRIC_IF down ;;
    fabric-mend) ip -n spark1 link set $FABRIC_IF up ;;
    fabric-drop) drop spark1 $FABRIC_IF ;;
    fabric-pass) pass spark1 $FABRIC_IF ;;
    sshd-* | docker-* | gpu | disk-* | kill-container | hold | release | freeze | thaw | power-*)
      case " $HOSTS " in
        *" $host "*) fault_on "$@" ;;
        *) fail "$what: which host? One of $HOSTS" ;;
      esac
      ;;
    *) fail "no fault \"$what\". There are:$FAULTS" ;;
  esac
}

fault_on() {
  local what=$1 host=$2 more=${3-}
  case $what in
    sshd-stop) on "$host" pkill -x sshd ;;
    sshd-start) on "$host" /usr/sbin/sshd -E /run/lab/sshd.log ;;
    docker-stop) stop_docker "$host" ;;
    docker-start) start_docker "$host" ;;
    docker-restart)
      stop_docker "$host"
      start_docker "$host"
      ;;
    gpu) set_gpu "$host" "$more" ;;
    disk-fill) on "$host" sh -c 'dd if=/dev/zero of=/home/filler bs=1M 2>/dev/null || true' ;;
    disk-free) on "$host" rm -f /home/filler ;;
    kill-container) on "$host" docker kill "$more" >/dev/null ;;
    hold) hold_command "$host" "$more" "${4-}" "${5-}" ;;
    release) release_command "$host" "$more" ;;
    freeze) freeze "$host" FROZEN 1 ;;
    thaw) freeze "$host" THAWED 0 ;;
    power-off)
      drop "$host" $FABRIC_IF
      [ "$host" != spark1 ] || drop spark1 $MANAGEMENT_IF
      kill_host "$host"
      ;;
    power-on)
      ! alive "$host" || fail "$host is on"
      start_host "$host"
      pass "$host" $FABRIC_IF
      [ "$host" != spark1 ] || pass spark1 $MANAGEMENT_IF
      wait_for_host "$host"
      ;;
  esac
}

stop_docker() {
  on "$1" pkill -x dockerd || true
  within 30 no_docker "$1" || fail "dockerd on $1 does not end"
}

no_docker() {
  ! on "$1" pgrep -x dockerd >/dev/null
}

start_docker() {
  on "$1" start-dockerd "$1"
  within 30 answers "$1" || fail "dockerd on $1 does not start: $(tail -1 "$STATE/$1/log/dockerd.log")"
}

set_gpu() {
  local hook=/usr/local/bin/nvidia-container-runtime-hook
  case $2 in
    '') fail 'gpu HOST ok, hidden, none or a text' ;;
    # dockerd looks for the hook when it starts.
    none)
      on "$1" mv -f $hook /usr/local/share/
      fault_on docker-restart "$1"
      ;;
    *)
      on "$1" sh -c 'printf "%s\n" "$1" >/etc/lab-gpu' sh "$2"
      if on "$1" test -e /usr/local/share/nvidia-container-runtime-hook; then
        on "$1" mv -f /usr/local/share/nvidia-container-runtime-hook $hook
        fault_on docker-restart "$1"
      fi
      ;;
  esac
}

# Whoever logs in finds this program first. `reached` says that the command stands there.
hold_command() {
  local host=$1 text=$2 program=${3:-docker} name=${4:-one}
  [ -n "$text" ] || fail 'hold HOST TEXT [PROGRAM] [NAME]'
  release_command "$host" "$name"
  on "$host" sh -c 'mkdir -p /run/lab-hold && mkdir -m 755 "/run/lab-hold/$1" && cd "/run/lab-hold/$1" && mkfifo reached released &&
    printf %s "$2" >text && printf %s "$3" >program && chown -R "$4" . && cat >"/usr/local/bin/$3.new" &&
    chmod 755 "/usr/local/bin/$3.new" && mv -f "/usr/local/bin/$3.new" "/usr/local/bin/$3"' \
    sh "$name" "$text" "$program" $LOGIN <"$LAB/host/held"
}

# The pipe is open on both sides only while a command waits there.
release_command() {
  on "$1" sh -c 'hold=/run/lab-hold/$1
    [ ! -d "$hold/taken" ] || timeout 5 sh -c ": >$hold/released" || true
    rm -rf "$hold"
    rmdir /run/lab-hold 2>/dev/null && rm -f /usr/local/bin/docker /usr/local/bin/flock /usr/local/bin/mv || true' sh "${2:-one}"
}

freeze() {
  if [ -d "/sys/fs/cgroup/freezer/lab-$1" ]; then
    echo "$2" >"/sys/fs/cgroup/freezer/lab-$1/freezer.state"
  else
    echo "$3" >"/sys/fs/cgroup/lab-$1/cgroup.freeze"
  fi
}
