# What must outlive the store, on the head of a cluster: who holds it, and who did what.
#
#   flock -o -E 76 -w 20 STATE/lock sh -s -- STATE REALM     writes
#   sh -s -- STATE REALM read                                prints what is held
#
# To write, its sender puts a function `items` in front that prints lines "ID KIND TEXT", the oldest first:
#   hold TEXT, freeze TEXT     become STATE/hold-REALM and STATE/freeze-REALM
#   unhold, unfreeze           remove them
#   audit TEXT                 one line more in STATE/audit-REALM.log, and the file before it in .log.1
# An id that is not above STATE/outbox-REALM was written before and is passed over, so that a batch may come again.
# The answer is one line "sparkops-head: ID", the last one written; it fails when one could not be.

set -u
umask 077

state=$1 realm=$2 how=${3-write}
last=$state/outbox-$realm
log=$state/audit-$realm.log
most_bytes=10485760

last_id() {
  id=0
  [ -e "$last" ] && read -r id < "$last"
  case $id in
    '' | *[!0-9]*) id=0 ;;
  esac
  printf '%s\n' "$id"
}

become() {
  printf '%s\n' "$2" > "$state/.$1.new" && mv "$state/.$1.new" "$state/$1"
}

write() {
  case $1 in
    hold | freeze) become "$1-$realm" "$2" ;;
    unhold) rm -f -- "$state/hold-$realm" ;;
    unfreeze) rm -f -- "$state/freeze-$realm" ;;
    audit) printf '%s\n' "$2" >> "$log" ;;
    # Of a newer sparkops: it is not for us.
    *) ;;
  esac
}

if [ "$how" = read ]; then
  for kind in hold freeze; do
    [ ! -e "$state/$kind-$realm" ] || printf 'sparkops-%s: %s\n' "$kind" "$(cat "$state/$kind-$realm")"
  done
  printf 'sparkops-head: %s\n' "$(last_id)"
  exit 0
fi

if [ -e "$log" ] && [ "$(wc -c < "$log")" -gt "$most_bytes" ]; then
  mv "$log" "$log.1"
fi

seen=$(last_id)
items | while read -r id kind text; do
  [ "$id" -gt "$seen" ] || continue
  write "$kind" "$text" && become "outbox-$realm" "$id" || exit 1
done
code=$?
printf 'sparkops-head: %s\n' "$(last_id)"
exit "$code"
