# Functions of a plan's script. `here` and `there` run a text in a shell, on this node or on another one.

here() {
  sh -c "$1"
}

# there USER@ADDRESS PORT TEXT
there() {
  ssh -o BatchMode=yes -o ConnectTimeout=10 -p "$2" -- "$1" "$3"
}

step() {
  printf '\n%s\n' "$*"
}

tell_failure() {
  printf '\nFAILED: %s\n' "$*" >&2
}

fail() {
  tell_failure "$@"
  exit 1
}

# need_secrets NAME...: each is set in the environment that this script was started with.
need_secrets() {
  for name in "$@"; do
    eval "value=\${$name-}"
    [ -n "$value" ] || fail "$name is not set: the recipe names it as a secret. Export it, then run this again."
  done
}

# secret_lines VARIABLE NAME ...: the lines of an env file, for standard input: a secret never stands in a command line.
secret_lines() {
  while [ $# -gt 1 ]; do
    eval "value=\${$2-}"
    printf '%s=%s\n' "$1" "$value"
    shift 2
  done
}

# wait_port SECONDS PORT: until something listens there.
wait_port() {
  left=$1
  until ss -ltnH </dev/null | grep -q ":$2 "; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || return 1
    sleep 1
  done
}

# ray_complete ADDRESS...: standard input is what ray-nodes.py printed; its last line must name exactly these, each with a GPU.
ray_complete() {
  nodes=$(tail -n 1 | tr -d ' ' | tr '{' '\n' | grep '"alive":true') || {
    echo 'Ray knows no node.'
    return 1
  }
  printf '%s\n' "$nodes" | sed 's/^/  /'
  for address in "$@"; do
    node=$(printf '%s\n' "$nodes" | grep -F "\"address\":\"$address\",") || {
      echo "No node registered with Ray as $address."
      return 1
    }
    case $node in
      *'"gpu":0,'* | *'"gpu":0.0,'*)
        echo "$address registered without a GPU."
        return 1
        ;;
    esac
  done
  [ "$(printf '%s\n' "$nodes" | grep -c .)" = $# ] || {
    echo 'A node registered with Ray that is not in the plan.'
    return 1
  }
}
