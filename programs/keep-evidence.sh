#!/bin/sh
# keep-evidence.sh STATE NAME: standard input becomes files in STATE/evidence/NAME. A line "file NAME" begins one, the
# lines of the file stand behind a blank. Prints the folder. The last 20 folders are kept.
set -eu
umask 077
all=$1/evidence
folder=$all/$2
mkdir -p "$folder"
awk -v folder="$folder" '
  /^file [A-Za-z0-9][A-Za-z0-9._-]*$/ { to = folder "/" $2; next }
  /^ / && to != "" { print substr($0, 2) > to }
'
ls -1t "$all" | tail -n +21 | while IFS= read -r old; do
  rm -rf "${all:?}/$old"
done
printf '%s\n' "$folder"
