# status.sh REALM STATE: what people ask for with status: the GPU, the realm's containers, and what others run.
gpu
containers "$1" "$2"
foreign "$1"
exit 0
