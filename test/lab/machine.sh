# What the lab needs of this machine. Sourced by lab.sh.

PACKAGES='docker.io docker-compose openssh-server openssh-client iproute2 iptables procps python3 python3-pip mmdebstrap curl'

need_machine() {
  [ "$(uname -s)" = Linux ] || fail 'needs Linux: the hosts are namespaces of its kernel'
  [ "$(id -u)" = 0 ] || fail 'needs root: namespaces, mounts and Docker daemons'
  unshare --mount --uts --ipc --pid --net --fork true 2>/dev/null || fail 'this machine lets nobody make namespaces'
  install_packages
  /usr/bin/python3 -m pip --version >/dev/null 2>&1 || fail 'Python has no pip, which fetches Ray and torch: see python3 -m pip'
  local words
  words=$(ip link add lab-try type veth peer name lab-try-end 2>&1) || fail "no veth device can be made here: $words"
  ip link del lab-try
}

install_packages() {
  local missing
  missing=$(for package in $PACKAGES; do dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"; done)
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null || fail "missing, and there is no apt-get to install it:" $missing
  say installing $missing
  # They are for the lab's hosts: this machine itself starts no Docker and no SSH server.
  local policy=/usr/sbin/policy-rc.d ours=
  if [ ! -e $policy ]; then
    ours=$policy
    printf '#!/bin/sh\nexit 101\n' >$policy
    chmod 755 $policy
  fi
  apt_get install --no-install-recommends $missing ||
    { apt_get update && apt_get install --no-install-recommends $missing; } ||
    { rm -f $ours && fail 'apt-get could not install' $missing; }
  rm -f $ours
}

apt_get() {
  DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o DPkg::Lock::Timeout=120 "$@" >"$CACHE/apt.log" 2>&1
}
