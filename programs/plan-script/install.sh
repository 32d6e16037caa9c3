# sh -s -- STATE HASH: installs the programs that a launch uses, once for each HASH. Its sender puts `programs` in front.
set -eu
umask 077

put() {
  cat >"$new/$1"
  chmod 0700 "$new/$1"
}

installed=$1/programs-$2
mkdir -p -- "$1"
chmod 0700 "$1"
if ! [ -d "$installed" ]; then
  new=$1/.programs-$2.$$
  mkdir "$new"
  programs
  mv "$new" "$installed"
fi
