# foreign.sh REALM STATE [ID...]: what others run on this node, and these of their containers, also when they have ended.
containers "$1" "$2"
realm=$1
shift 2
foreign "$realm" "$@"
exit 0
