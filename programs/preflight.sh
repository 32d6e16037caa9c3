# preflight.sh REALM STATE IMAGE MODELS: all that the checks before a launch need to know of this node. Judges nothing.
section docker docker version --format '{{.Server.Version}}'
section image docker image inspect --format '{{json .}}' "$3"
section gpus nvidia-smi -L
section addresses ip -o -4 addr show
for tool in flock timeout setsid; do
  section "tool $tool" command -v "$tool"
done
containers "$1" "$2" records
# What it takes to start again what runs now.
for id in $(printf '%s\n' $images | sort -u); do
  section "kept $id" docker image inspect --format '{{json .Id}}' "$id"
done
[ -z "$images" ] || section disk df -Pk "$2" "$4"
foreign "$1"
exit 0
