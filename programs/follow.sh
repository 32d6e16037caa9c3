# follow.sh FILE OFFSET INODE WAIT RUN CONTAINER: what FILE (of that inode) holds from OFFSET on, at most 64 KB.
# Waits up to WAIT seconds until there is something, or the engine has ended. Prints one line
#   # inode=I from=O bytes=N state=S
# and then exactly N bytes. States: alive, "exited CODE" (as serve.py wrote it), "lost" (no process, no exit file),
# "restarted", "gone", "stopped CODE OOMKILLED" (the container's).
file=$1 offset=$2 inode=$3 wait=$4 run=$5 container=$6

# locate PATH: sets found and size.
locate() {
  # ls -lni: inode mode links uid gid size ...
  set -- $(ls -lni "$1" 2>/dev/null)
  found=${1-0} size=${6-0}
}

# The rest of a file that was renamed to FILE.1 comes before the new one.
pick() {
  from=$offset path=$file
  locate "$file"
  [ "$inode" != 0 ] && [ "$found" != "$inode" ] || return 0
  now=$found now_size=$size
  locate "$file.1"
  if [ "$found" = "$inode" ] && [ "$size" -gt "$offset" ]; then
    path=$file.1
  else
    found=$now size=$now_size from=0
  fi
}

ended() {
  if [ -e "$run/serve.exit" ]; then
    state="exited $(sed 1q "$run/serve.exit")"
    return 0
  fi
  [ $((tick % 4)) -eq 3 ] || return 1
  state=$(container_state)
  [ "$state" != alive ]
}

container_state() {
  if ! answer=$(docker inspect --format '{{json .}}' "$container" 2>&1 </dev/null); then
    # A daemon that doesn't answer is no proof of anything.
    case $answer in
      *'No such'*) echo gone ;;
      *) echo alive ;;
    esac
    return
  fi
  lines=$(printf '%s\n' "$answer" | tr ',{}' '\n\n\n')
  if printf '%s\n' "$lines" | grep -q '^"Running":false$'; then
    echo "stopped $(one '"ExitCode":\([0-9]*\)') $(one '"OOMKilled":\([a-z]*\)')"
  elif [ "$(one '"Id":"\([0-9a-f]*\)"') $(one '"StartedAt":"\([^"]*\)"')" != "$(sed 1q "$run/serve.started")" ]; then
    echo restarted
  elif processes=$(docker top "$container" -eo pid,args </dev/null 2>/dev/null) && without_serve "$processes"; then
    # It may have written its exit file since we looked for that.
    if [ -e "$run/serve.exit" ]; then
      echo "exited $(sed 1q "$run/serve.exit")"
    else
      echo lost
    fi
  else
    echo alive
  fi
}

without_serve() {
  case $1 in
    *"$run/serve.py"*) return 1 ;;
  esac
}

one() {
  printf '%s\n' "$lines" | sed -n "s/^$1\$/\\1/p" | sed 1q
}

state=alive tick=0
while :; do
  pick
  [ "$size" -le "$from" ] || break
  if ended; then
    # Its last words may have come between the two looks.
    pick
    break
  fi
  tick=$((tick + 1))
  [ $((tick / 4)) -lt "$wait" ] || break
  sleep 0.25 </dev/null
done

bytes=$((size - from))
[ "$bytes" -ge 0 ] || bytes=0
[ "$bytes" -le 65536 ] || bytes=65536
echo "# inode=$found from=$from bytes=$bytes state=$state"
[ "$bytes" -eq 0 ] || tail -c "+$((from + 1))" "$path" | head -c "$bytes"
exit 0
