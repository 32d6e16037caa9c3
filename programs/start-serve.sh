#!/bin/sh
# start-serve.sh CONTAINER RUN -- ARGV...: starts the engine in the container unless it runs there already, and records
# in RUN/serve.started which start of which container it belongs to ("ID STARTEDAT").
set -eu
umask 077

container=$1
run=$2
shift 3

state=$(docker inspect --format '{{json .}}' "$container" </dev/null | tr ',{}' '\n\n\n')
id=$(printf '%s\n' "$state" | sed -n 's/^"Id":"\([0-9a-f]*\)"$/\1/p' | sed 1q)
started=$(printf '%s\n' "$state" | sed -n 's/^"StartedAt":"\([^"]*\)"$/\1/p' | sed 1q)

# Fails here, rather than start a second engine, when the processes can't be listed.
processes=$(docker top "$container" -eo pid,args </dev/null)
case $processes in
  *"$run/serve.py"*) ;;
  *)
    rm -f "$run/serve.pid" "$run/serve.exit" "$run/serve.started"
    docker exec -d "$container" python3 "$run/serve.py" "$run" -- "$@" </dev/null
    ;;
esac

printf '%s %s\n' "$id" "$started" >"$run/serve.started.new"
mv -f "$run/serve.started.new" "$run/serve.started"
