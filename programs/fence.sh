#!/bin/sh
# Compares and writes STATE/fence. The caller holds STATE/lock: raise.sh, or flock in front of guard.sh.
#
#   STATE/programs-HASH/fence.sh raise|renew REALM FENCE TOKEN NUMBER RUN RECIPE BY SINCE
#
# Its first three lines are for programs, and guard.sh compares the first:
#
#   REALM FENCE TOKEN
#   renewed SECONDS
#   number NUMBER       the newest deployment of REALM that has raised it here; files of before have none

set -u
umask 077

answer() {
  printf 'sparkops-fence: %s\n' "$*"
  exit 0
}

is_number() {
  case $1 in
    '' | *[!0-9]*) return 1 ;;
  esac
}

# Another realm's fence counts for as long as somebody renews it.
stale_after=300

how=$1 realm=$2 fence=$3 token=$4 number=$5 run=$6 recipe=$7 by=$8 since=$9
state=${0%/*}/..
now=$(date +%s)

had_realm='' had_fence='' had_token='' had_renewed='' had_number=''
if [ -e "$state/fence" ]; then
  {
    read -r had_realm had_fence had_token
    read -r _ had_renewed
    read -r _ had_number
  } < "$state/fence"
fi

newest=$number
if [ "$had_realm" = "$realm" ] && is_number "$had_number" && [ "$had_number" -gt "$number" ]; then
  newest=$had_number
fi

if [ "$how" = raise ] && [ -e "$state/fence" ]; then
  is_number "$had_fence" || answer unreadable
  if [ "$had_realm" != "$realm" ]; then
    is_number "$had_renewed" || answer unreadable
    age=$((now - had_renewed))
    # The clock may have been set back.
    [ "$age" -ge 0 ] || age=0
    [ "$age" -ge "$stale_after" ] || answer realm "$had_realm" "$age"
  elif [ "$run" = deploy ] && [ "$newest" != "$number" ]; then
    # A newer attempt is admitted once the older one has ended: this one's record was restored from before.
    answer newer "$newest"
  elif [ "$had_fence" -gt "$fence" ]; then
    answer higher "$had_fence"
  elif [ "$had_fence" -eq "$fence" ] && [ "$had_token" != "$token" ]; then
    answer equal "$had_fence"
  fi
fi

cat > "$state/.fence.new" << END || exit 1
$realm $fence $token
renewed $now
number $newest

sparkops "$realm" changes this node for deployment $number (recipe $recipe), asked for by
$by, since $since. It renews this file every minute while it works;
last: $(date -u +%Y-%m-%dT%H:%M:%SZ).
If that is more than 5 minutes ago, nobody works on it now, and any sparkops may take over by itself.
Nothing needs to be done by hand. Who removes this file stops the running deployment at its next step.
END
mv "$state/.fence.new" "$state/fence" || exit 1

highest=0
[ -e "$state/number" ] && read -r highest < "$state/number"
if ! is_number "$highest" || [ "$number" -gt "$highest" ]; then
  printf '%s\n' "$number" > "$state/.number.new" && mv "$state/.number.new" "$state/number" || exit 1
fi

answer written
