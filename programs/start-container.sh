#!/bin/sh
# start-container.sh RUN [FILE...] -- docker run ARGS...
# Makes the run folder, writes the files, and starts the container as our user. Standard input: one line for each FILE,
# then the secret environment variables. The file with these lives for the time of `docker run`.
set -eu
umask 077

run=$1
shift
mkdir -p "$run"
chmod 700 "$run"
while [ "$#" -gt 0 ] && [ "$1" != -- ]; do
  mkdir -p "$(dirname "$1")"
  IFS= read -r line
  printf '%s\n' "$line" >"$1.new"
  mv -f "$1.new" "$1"
  shift
done
if [ "${1-} ${2-} ${3-}" != '-- docker run' ]; then
  echo 'start-container.sh: RUN [FILE...] -- docker run ARGS' >&2
  exit 64
fi
shift 3

cp "$(dirname "$0")/serve.py" "$run/serve.py"

trap 'rm -f "$run/env"' EXIT
trap 'exit 143' HUP INT TERM
rm -f "$run/env"
cat >"$run/env"
docker run --user "$(id -u):$(id -g)" --env-file "$run/env" "$@" </dev/null
