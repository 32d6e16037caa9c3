#!/bin/sh
# Lets a changing command run only for the process that holds this node's fence.
#
#   flock -o -E 76 -w 30 STATE/lock STATE/programs-HASH/guard.sh REALM FENCE TOKEN -- timeout -k 5 60 argv...
#
# Exit codes: 75 refused, 76 (of flock) the lock stayed busy, else the command's own, with its 75 and 76 made 70.

set -u

state=${0%/*}/..
given="$1 $2 $3"
shift 4

found=none
[ -e "$state/fence" ] && read -r found < "$state/fence"

if [ "$found" != "$given" ]; then
  printf '%s given: %s found: %s refused: %s' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$given" "$found" "$*" |
    tr '[:cntrl:]' ' ' >> "$state/refused.log"
  echo >> "$state/refused.log"
  echo "guard: refused, this node's fence is $found, not $given" >&2
  exit 75
fi

"$@"
code=$?
case $code in
  75 | 76) exit 70 ;;
esac
exit "$code"
