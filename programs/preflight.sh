# preflight.sh REALM STATE IMAGE: all that the checks before a launch need to know of this node. Judges nothing.
section docker docker version --format '{{.Server.Version}}'
section image docker image inspect --format '{{json .}}' "$3"
section gpus nvidia-smi -L
section addresses ip -o -4 addr show
for tool in flock timeout setsid; do
  section "tool $tool" command -v "$tool"
done
containers "$1" "$2"
foreign "$1"
exit 0
