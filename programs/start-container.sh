#!/bin/sh
# start-container.sh RUN -- docker run ARGS...
# Makes the run folder, takes secret environment variables from standard input, and starts the container as our user.
# The file with the secrets lives for the time of `docker run`.
set -eu
umask 077

run=$1
if [ "$2 $3 $4" != '-- docker run' ]; then
  echo 'start-container.sh: RUN -- docker run ARGS' >&2
  exit 64
fi
shift 4

mkdir -p "$run"
chmod 700 "$run"
cp "$(dirname "$0")/serve.py" "$run/serve.py"

trap 'rm -f "$run/env"' EXIT
trap 'exit 143' HUP INT TERM
rm -f "$run/env"
cat >"$run/env"
docker run --user "$(id -u):$(id -g)" --env-file "$run/env" "$@" </dev/null
