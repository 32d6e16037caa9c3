#!/bin/sh
# put-file.sh PATH: standard input becomes that file, whole or not at all, readable by us alone.
set -eu
umask 077
mkdir -p "$(dirname "$1")"
cat >"$1.new"
mv -f "$1.new" "$1"
