# The hosts: keys, folders, start and end of each. Sourced by lab.sh.

make_keys() {
  local host type
  ssh-keygen -q -t ed25519 -N '' -C sparkops -f "$STATE/id_ed25519"
  for host in $HOSTS; do
    mkdir -p "$STATE/$host"/{keys,home,ram,log}
    for type in ed25519 ecdsa rsa; do
      ssh-keygen -q -t $type -N '' -C "$host" -f "$STATE/$host/keys/ssh_host_${type}_key"
    done
  done
  {
    sed "s/^/$HEAD_ADDRESS /" "$STATE"/spark1/keys/*.pub
    sed "s/^/$WORKER_FABRIC /" "$STATE"/spark2/keys/*.pub
  } >"$STATE/known_hosts"
  ssh-keygen -q -H -f "$STATE/known_hosts" >/dev/null 2>&1
  rm -f "$STATE/known_hosts.old"
  cat >"$STATE/ssh_config" <<END
Host spark1 $HEAD_ADDRESS
  HostName $HEAD_ADDRESS
Host spark2 $WORKER_FABRIC
  HostName $WORKER_FABRIC
  ProxyJump spark1
Host *
  User $LOGIN
  IdentityFile $STATE/id_ed25519
  IdentitiesOnly yes
  UserKnownHostsFile $STATE/known_hosts
  StrictHostKeyChecking yes
  BatchMode yes
  ConnectTimeout 5
END
}

# A small disk of its own, which outlives a power-off.
make_home() {
  mount -t tmpfs -o "mode=755,size=$HOME_SIZE" "lab-home-$1" "$STATE/$1/home"
  mkdir -p "$STATE/$1/home/$LOGIN/models" "$STATE/$1/home/$LOGIN/.ssh"
  cp "$STATE/id_ed25519.pub" "$STATE/$1/home/$LOGIN/.ssh/authorized_keys"
  python3 "$LAB/image/make-model.py" "$MODEL" "$STATE/$1/home/$LOGIN/.cache/huggingface/hub"
}

start_host() {
  local host=$1
  make_group "$host"
  (
    enter_group "$host"
    exec setsid nsenter --net="/run/netns/$host" unshare --mount --uts --ipc --pid --fork --kill-child=KILL \
      bash "$LAB/host-init.sh" "$host" "$LAB" "lab-host-$host"
  ) >"$STATE/$host/log/init.log" 2>&1 </dev/null 9>&- &
  within 10 find_init "$host" $! || fail "$host does not start: $(tail -1 "$STATE/$host/log/init.log")"
}

find_init() {
  pgrep -P "$2" >"$STATE/$1/init.pid"
}

# Every process of the host goes with its first one, and so does what it has mounted.
kill_host() {
  local pid
  alive "$1" || return 0
  pid=$(host_pid "$1")
  kill -KILL "$pid"
  within 10 dead "$1" || fail "$1 does not end: pid $pid"
  remove_group "$1"
}

dead() {
  ! alive "$1"
}

wait_for_host() {
  within 40 answers "$1" || fail "no dockerd on $1: $(tail -1 "$STATE/$1/log/dockerd.log")"
  # A power cut leaves containers behind that run no more.
  on "$1" sh -c 'docker ps --all --quiet --filter status=exited --filter status=created --filter status=dead | xargs -r docker rm --force >/dev/null'
  within 10 reachable "$1" || fail "no sshd on $1: $(tail -1 "$STATE/$1/log/sshd.log")"
}

answers() {
  alive "$1" || fail "$1 ended: $(tail -1 "$STATE/$1/log/init.log")"
  [ "$(curl -s --max-time 2 --unix-socket "/proc/$(host_pid "$1")/root/run/docker.sock" http://docker/_ping)" = OK ]
}

reachable() {
  ssh -F "$STATE/ssh_config" "$1" true 2>/dev/null
}
