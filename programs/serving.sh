# serving.sh REALM STATE [gpu]: the realm's containers, for who only asks whether something still serves; with "gpu" also what it draws.
[ -z "${3-}" ] || gpu
containers "$1" "$2"
exit 0
