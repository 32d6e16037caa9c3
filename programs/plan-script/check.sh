# check.sh REALM STATE IMAGE ADDRESS INTERFACE [PORT ...]: whether a launch can begin on this node. Changes nothing.
realm=$1 state=$2 image=$3 address=$4 interface=$5
shift 5
bad=0

row() {
  printf '  %-7s %s: %s\n' "$1" "$2" "$3"
  [ "$1" = ok ] || bad=1
}

if version=$(docker version --format '{{.Server.Version}}' 2>&1 </dev/null); then
  row ok docker "$version"
else
  row FAILED docker "$version"
  exit 1
fi

if docker image inspect --format '{{json .}}' "$image" >/dev/null 2>&1 </dev/null; then
  row ok image "$image"
else
  row FAILED image "$image is not here. Load it with docker pull or docker load."
fi

gpus=$(nvidia-smi -L 2>&1 </dev/null | grep -c '^GPU ')
if [ "$gpus" -ge 1 ]; then row ok gpu "$gpus"; else row FAILED gpu 'nvidia-smi names none'; fi

if ip -o -4 addr show </dev/null | grep -q " $interface  *inet $address/"; then
  row ok fabric "$address on $interface"
else
  row FAILED fabric "$interface does not have the address $address"
fi

for tool in flock timeout setsid; do
  command -v "$tool" >/dev/null || row FAILED "$tool" 'not installed (util-linux, coreutils)'
done

for port in "$@"; do
  if ss -ltnH </dev/null | grep -q ":$port "; then row FAILED port "$port is in use"; else row ok port "$port is free"; fi
done

running=$(docker ps --no-trunc --filter "label=sparkops.realm=$realm" --format '{{json .}}' </dev/null |
  sed -n 's/.*"Names":"\([^"]*\)".*/\1/p' | tr '\n' ' ')
if [ -z "$running" ]; then row ok containers none; else row FAILED containers "${running% } already runs"; fi

# Rewritten each minute by a process of sparkops that acts on this node.
if [ -n "$(find "$state/fence" -mmin -5 2>/dev/null)" ]; then
  row FAILED sparkops 'acts on this node now. Cancel what it does, or wait 5 minutes.'
fi

exit $bad
