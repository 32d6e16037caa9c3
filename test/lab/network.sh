# The two networks: management (this machine and spark1) and fabric (spark1 and spark2). Sourced by lab.sh.

make_network() {
  local host
  for host in $HOSTS; do
    ip netns add "$host"
    ip -n "$host" link set lo up
    ip netns exec "$host" sysctl -qw net.ipv4.ip_forward=0
  done
  ip link add $ROOT_IF type veth peer name $MANAGEMENT_IF netns spark1
  ip -n spark1 link add $FABRIC_IF type veth peer name $FABRIC_IF netns spark2
  ip -n spark1 addr add $HEAD_ADDRESS/24 dev $MANAGEMENT_IF
  ip -n spark1 addr add $HEAD_FABRIC/24 dev $FABRIC_IF
  ip -n spark2 addr add $WORKER_FABRIC/24 dev $FABRIC_IF
  management_up
  ip -n spark1 link set $FABRIC_IF mtu 9000 up
  ip -n spark2 link set $FABRIC_IF mtu 9000 up
  # While a link is away nothing for these nets may leave by the machine's own default route.
  ip route add unreachable $MANAGEMENT_NET metric 4000000
  ip route add unreachable $FABRIC_NET metric 4000000
  ip addr add $ROOT_ADDRESS/24 dev $ROOT_IF
  ip link set $ROOT_IF up
}

# As on a real head, the default route leaves by the management interface: programs that ask for "my address" get that
# one. It leads nowhere.
management_up() {
  ip -n spark1 link set $MANAGEMENT_IF up
  ip -n spark1 route replace default via $NOWHERE dev $MANAGEMENT_IF src $HEAD_ADDRESS
  ip -n spark1 neigh replace $NOWHERE lladdr 02:00:00:00:00:01 dev $MANAGEMENT_IF nud permanent
}

management_down() {
  ip -n spark1 link set $MANAGEMENT_IF down
}

remove_network() {
  local host
  for host in $HOSTS; do
    [ ! -e "/run/netns/$host" ] || ip netns del "$host"
  done
  ip link del $ROOT_IF 2>/dev/null || true
  ip route del unreachable $MANAGEMENT_NET metric 4000000 2>/dev/null || true
  ip route del unreachable $FABRIC_NET metric 4000000 2>/dev/null || true
}

# drop HOST INTERFACE: packets vanish, the link stays up. pass: no longer.
drop() {
  pass "$@"
  ip netns exec "$1" iptables -w -I INPUT -i "$2" -j DROP
  ip netns exec "$1" iptables -w -I OUTPUT -o "$2" -j DROP
}

pass() {
  ip netns exec "$1" iptables -w -D INPUT -i "$2" -j DROP 2>/dev/null || true
  ip netns exec "$1" iptables -w -D OUTPUT -o "$2" -j DROP 2>/dev/null || true
}
