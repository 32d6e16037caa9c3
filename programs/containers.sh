# containers.sh REALM STATE [records]: the realm's containers on this node, whether their engine lives, what listens, and
# the highest number that a deployment of this node has. With "records", also the record of each live engine.
containers "$1" "$2" "${3-}"
section listeners ss -ltnH
highest_number() {
  sed -n 's/^{"schema":1,"number":\([0-9]*\),.*/\1/p' "$1"/runs/*/deployment.json 2>/dev/null | sort -n | tail -n 1
}
section highest-number highest_number "$2"
exit 0
