# Raises this node's fence: the number that makes commands of an older process harmless.
#
#   sh -s -- STATE HASH LOCK-WAIT REALM FENCE TOKEN NUMBER RUN RECIPE BY SINCE
#
# Its sender puts a function `programs` in front, which calls `put NAME` with each program of this
# folder on standard input. They are installed once for each HASH; folders of other hashes stay, as
# commands that an older process has started may still run from there.
# The answer is one line that starts with "sparkops-fence:".

set -u
umask 077

answer() {
  printf 'sparkops-fence: %s\n' "$*"
  exit 0
}

put() {
  cat > "$new/$1" && chmod 0700 "$new/$1" || answer unwritable
}

state=$1 hash=$2 wait=$3
shift 3
installed=$state/programs-$hash

mkdir -p -- "$state" && chmod 0700 "$state" || answer unwritable

command -v flock > /dev/null || answer no-flock
command -v timeout > /dev/null || answer no-timeout

if ! [ -d "$installed" ]; then
  new=$state/.programs-$hash.$$
  mkdir "$new" || answer unwritable
  programs
  mv "$new" "$installed" || answer unwritable
  # Two at once: the later one has moved its folder into the earlier one's.
  rm -rf -- "$installed/${new##*/}"
fi

flock -o -E 76 -w "$wait" "$state/lock" "$installed/fence.sh" raise "$@" < /dev/null
case $? in
  0) ;;
  76) answer busy ;;
  *) answer unwritable ;;
esac
