#!/usr/bin/env bash
# host-init.sh HOST LAB NAME: the first process of a host, in fresh namespaces. Makes a root of its own, then runs sshd
# and dockerd. NAME shows in the process list.
set -euo pipefail
host=$1
. "$2/settings.sh"
own=$STATE/$host

hostname "$host"
mount --make-rprivate /

# The machine's own files below, read; memory above, written.
mount -t tmpfs -o size=4g,mode=755 "lab-$host" "$own/ram"
mkdir -p "$own"/ram/{upper,work,root}
root=$own/ram/root
mount -t overlay -o "lowerdir=/,upperdir=$own/ram/upper,workdir=$own/ram/work" overlay "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"

mount -t tmpfs -o mode=755,size=1m dev "$root/dev"
device() {
  mkdir -p "$(dirname "$root/dev/$1")"
  mknod -m 666 "$root/dev/$1" c "$2" "$3"
}
device null 1 3
device zero 1 5
device full 1 7
device random 1 8
device urandom 1 9
device tty 5 0
device net/tun 10 200
# Names are enough for `--device /dev/infiniband`.
device infiniband/rdma_cm 1 3
device infiniband/uverbs0 1 3
mkdir "$root"/dev/{pts,shm,mqueue}
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777,size=2g shm "$root/dev/shm"
mount -t mqueue mqueue "$root/dev/mqueue"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for at in stdin:0 stdout:1 stderr:2; do ln -s "fd/${at#*:}" "$root/dev/${at%:*}"; done

# What is the machine's and not this host's.
for folder in root run opt mnt srv tmp home; do
  [ ! -d "$root/$folder" ] || mount -t tmpfs -o mode=755,size=1g "$folder" "$root/$folder"
done
chmod 1777 "$root/tmp"
mkdir -p "$root"/run/{lock,sshd,lab} "$root/var/lib/docker" "$CACHE/$host/docker"
mount --bind "$own/home" "$root/home"
# Docker's layers can't lie on an overlay.
mount --bind "$CACHE/$host/docker" "$root/var/lib/docker"
mount --bind "$own/log" "$root/run/lab"
install -m 755 "$LAB"/host/* "$root/usr/local/bin/"
rm -f "$root"/etc/ssh/ssh_host_*
install -m 600 "$own"/keys/ssh_host_* "$root/etc/ssh/"
# A boot of its own. The id of the machine's kernel stays the same.
cat /proc/sys/kernel/random/uuid >"$root/run/boot_id"
mount --bind "$root/run/boot_id" "$root/proc/sys/kernel/random/boot_id"

cd "$root"
mkdir -p .old
pivot_root . .old
cd /
umount -l /.old
for name in $(compgen -e); do unset "$name"; done
export PATH=$HOST_PATH HOME=/root

# Another docker client may shadow Debian's.
rm -f /usr/local/bin/docker /etc/docker/daemon.json /etc/nologin /etc/resolv.conf
: >/etc/resolv.conf
echo "$host" >/etc/hostname
printf '127.0.0.1 localhost\n127.0.1.1 %s\n%s spark1-fabric\n%s spark2-fabric\n' \
  "$host" $HEAD_FABRIC $WORKER_FABRIC >/etc/hosts
getent group docker >/dev/null || groupadd -r docker
useradd --no-create-home --home-dir "/home/$LOGIN" --shell /bin/bash --groups docker "$LOGIN"
usermod -p '*' "$LOGIN"
chmod 700 "/home/$LOGIN/.ssh"
chown -R "$LOGIN:$LOGIN" "/home/$LOGIN"
# Where root may not raise limits, runc has to leave that out.
if [ $((0x$(awk '/^CapBnd/ { print $2 }' /proc/self/status) >> 24 & 1)) = 1 ]; then
  rm /usr/local/bin/runc
fi

/usr/sbin/sshd -D -E /run/lab/sshd.log &
start-dockerd "$host"
# Waits for what is orphaned here, and ends at a signal.
trap 'exit 0' TERM
while :; do
  sleep 60 &
  wait $! || true
done
