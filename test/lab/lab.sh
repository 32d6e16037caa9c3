#!/usr/bin/env bash
# Two hosts on this machine, with the network of two Sparks, real sshd, real Docker, real Ray.
#
#   lab.sh up | status | down | fault WHAT [HOST] [MORE]
set -euo pipefail
BEGAN=$EPOCHREALTIME
cd "$(dirname "$(readlink -f "$0")")"
. "$PWD/settings.sh"
. "$PWD/machine.sh"
. "$PWD/network.sh"
. "$PWD/hosts.sh"
. "$PWD/images.sh"
. "$PWD/faults.sh"

bring_up() {
  local host
  if up && status >/dev/null 2>&1; then
    make_images
    say 'already up'
    return
  fi
  need_machine
  take_down
  trap 'keep_logs; take_down' EXIT
  mkdir -p "$STATE"
  chmod 700 "$STATE"
  make_keys
  make_network
  for host in $HOSTS; do
    make_home "$host"
    start_host "$host"
  done
  for host in $HOSTS; do wait_for_host "$host"; done
  say 'both hosts answer'
  make_images
  trap - EXIT
  say "up: ssh -F $STATE/ssh_config spark1"
}

keep_logs() {
  rm -rf "$CACHE/failed"
  mkdir -p "$CACHE/failed"
  cp -r "$STATE"/*/log "$CACHE/failed" 2>/dev/null || true
}

take_down() {
  local host
  for host in $HOSTS; do
    kill_host "$host"
    remove_group "$host"
  done
  remove_network
  for host in $HOSTS; do
    ! mountpoint -q "$STATE/$host/home" || umount "$STATE/$host/home"
  done
  rm -rf --one-file-system "$STATE"
}

status() {
  local host version code=0
  for host in $HOSTS; do
    if ! alive "$host"; then
      echo "$host: down"
      code=1
    elif version=$(timeout 15 ssh -F "$STATE/ssh_config" "$host" docker version --format '{{.Server.Version}}' 2>&1); then
      echo "$host: up, pid $(host_pid "$host"), Docker $version, $(on "$host" docker ps -q | wc -l) containers"
    else
      echo "$host: pid $(host_pid "$host"), but: $version"
      code=1
    fi
  done
  return $code
}

# One at a time, and one lab a machine.
locked() {
  [ "$(id -u)" = 0 ] || fail 'needs root: namespaces, mounts and Docker daemons'
  mkdir -p "$CACHE"
  exec 9>"$CACHE/lock"
  flock -w 600 9 || fail 'another one is at work'
  "$@"
}

case ${1-} in
  up) locked bring_up ;;
  down)
    locked take_down
    say down
    ;;
  status) status ;;
  fault) locked fault "${@:2}" ;;
  *) fail 'up | status | down | fault WHAT [HOST] [MORE]' ;;
esac
