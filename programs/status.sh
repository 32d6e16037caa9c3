# status.sh REALM STATE: what people ask for with status: the GPU and the realm's containers.
section gpu nvidia-smi --query-gpu=name,driver_version,power.draw,temperature.gpu,utilization.gpu --format=csv,noheader,nounits
containers "$1" "$2"
exit 0
