#!/bin/sh
# image-programs.sh NAME IMAGE PROGRAM...: a line "missing PROGRAM" for each that the image lacks. Docker's own exit code.
# The container for it is called NAME and ends at once. One that was left behind is removed: the node's lock keeps
# two of us from being here.
set -u
name=$1 image=$2
shift 2

look() {
  docker run --rm --pull=never --name "$name" --network none --entrypoint sh "$image" -c \
    'for program; do command -v "$program" >/dev/null || echo "missing $program"; done' sh "$@" </dev/null
}

{ errors=$(look "$@" 2>&1 >&3); code=$?; } 3>&1
case $errors in
  *Conflict.*)
    docker rm --force "$name" </dev/null >/dev/null
    look "$@"
    exit
    ;;
esac
[ -z "$errors" ] || printf '%s\n' "$errors" >&2
exit "$code"
