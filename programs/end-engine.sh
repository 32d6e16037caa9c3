#!/bin/sh
# end-engine.sh CONTAINER RUN SECONDS: before the container is removed. Writes down in RUN/processes what runs in it
# ("PID START" a line), so that what outlives it is known. Then the engine, if it was started here, is asked to end, and
# gets SECONDS for that: one that is killed may leave its GPU memory behind.
set -u
umask 077
container=$1 run=$2 seconds=$3

mkdir -p "$run"
for pid in $(docker top "$container" -eo pid,args </dev/null 2>/dev/null | awk 'NR > 1 { print $1 }'); do
  start=$(sed 's/^.*) //' "/proc/$pid/stat" 2>/dev/null | cut -d ' ' -f 20)
  [ -z "$start" ] || printf '%s %s\n' "$pid" "$start"
done >>"$run/processes"

[ -e "$run/serve.pid" ] && [ ! -e "$run/serve.exit" ] || exit 0
read -r engine <"$run/serve.pid"
case $engine in
  '' | *[!0-9]*) exit 0 ;;
esac
timeout -k 1 5 docker exec "$container" sh -c 'kill -s TERM -- "-$1"' sh "$engine" </dev/null 2>/dev/null || exit 0
tick=0
while [ ! -e "$run/serve.exit" ] && [ "$tick" -lt $((seconds * 4)) ]; do
  sleep 0.25 </dev/null
  tick=$((tick + 1))
done
exit 0
