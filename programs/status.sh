# status.sh REALM STATE: what people ask for with status: the GPU, the realm's containers, and what others run.
section gpu nvidia-smi --query-gpu=name,driver_version,power.draw,temperature.gpu,utilization.gpu --format=csv,noheader,nounits
containers "$1" "$2"
foreign "$1"
exit 0
