# serving.sh REALM STATE [gpu]: the realm's containers, for who only asks whether something still serves; with "gpu" also what it draws.
[ -z "${3-}" ] || section gpu nvidia-smi --query-gpu=name,driver_version,power.draw,temperature.gpu,utilization.gpu --format=csv,noheader,nounits
containers "$1" "$2"
exit 0
