# containers.sh REALM STATE [records]: the realm's containers on this node, whether their engine lives, what listens, and
# what lives on of a container that was removed. With "records", also RUN/deployment.json of each live engine.

# survivors STATE: "UID PID NAME" of each process of RUN/processes that still lives. A killed one may hang in the driver.
survivors() {
  for file in "$1"/runs/*/processes; do
    [ -e "$file" ] || continue
    of=${file%/processes}
    while read -r pid start; do
      [ -e "/proc/$pid/stat" ] || continue
      now=$(sed 's/^.*) //' "/proc/$pid/stat" 2>/dev/null)
      case $now in
        '' | Z* | X*) continue ;;
      esac
      [ "$(echo "$now" | cut -d ' ' -f 20)" != "$start" ] || echo "${of##*/} $pid $(first_line "/proc/$pid/comm")"
    done <"$file"
  done
}

containers "$1" "$2" "${3-}"
section listeners ss -ltnH
section survivors survivors "$2"
exit 0
