#!/bin/sh
# end-process.sh PID START: asks a process of our own user to end, and waits for it up to 30 s. START is in clock ticks from
# the boot: a pid that is used again is left alone. Exit codes: 0 gone, 3 it does not end, 4 not allowed.
set -u
pid=$1 start=$2

same() {
  found=$(sed -n 's/^.*) [A-Za-z] \([0-9-]* \)\{18\}\([0-9]*\) .*/\2/p' "/proc/$pid/stat" 2>/dev/null)
  [ "$found" = "$start" ] && ! grep -q '^State:.*zombie' "/proc/$pid/status" 2>/dev/null
}

same || exit 0
kill -TERM "$pid" || { same || exit 0; exit 4; }
tick=0
while same; do
  tick=$((tick + 1))
  [ "$tick" -lt 120 ] || exit 3
  sleep 0.25
done
