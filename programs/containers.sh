# containers.sh REALM STATE [records]: the realm's containers on this node, whether their engine lives, and what listens.
# With "records", also RUN/deployment.json of each live engine.
containers "$1" "$2" "${3-}"
section listeners ss -ltnH
exit 0
