# The images, made on this machine: nothing is pulled. Sourced by lab.sh.

# Debian with Python, Ray and CPU torch.
BASE_RECIPE='bookworm python3,iproute2,procps,libgomp1 ray==2.58.0 torch==2.13.0 safetensors numpy tqdm'

make_images() {
  local base engine host
  base=$IMAGE_BASE:$(echo "$BASE_RECIPE" | digest)
  engine=$(tar -C "$LAB/image" --sort=name --mtime=@0 --owner=0 --group=0 -c . | cat - <(echo "$base") | digest)
  if ! all_have "$base"; then
    make_base "$CACHE/base"
    for_all import_base "$base"
    rm -rf "$CACHE/base"
    say "base image imported on both hosts"
  fi
  if ! all_have "$IMAGE:lab-$engine"; then
    for_all build_engine "$base" "$engine"
    say 'engine images built on both hosts'
  fi
}
IMAGE_BASE=sparkops-lab/base
VARIANTS='engine drops-node-address own-entrypoint without-ray'

digest() {
  sha256sum | cut -c1-12
}

all_have() {
  local host
  for host in $HOSTS; do
    on "$host" docker image inspect "$1" >/dev/null 2>&1 || return 1
  done
}

# for_all FUNCTION ARGS...: on every host at once.
for_all() {
  local host job jobs=''
  for host in $HOSTS; do
    "$1" "$host" "${@:2}" >"$STATE/$host/log/image.log" 2>&1 &
    jobs="$jobs $!"
  done
  for job in $jobs; do
    wait "$job" || fail "$1: $(tail -q -n 1 "$STATE"/*/log/image.log | tr '\n' ' ')"
  done
}

make_base() {
  local suite packages wheels
  read -r suite packages wheels <<<"$BASE_RECIPE"
  rm -rf "$1"
  mkdir -p "$1"
  mmdebstrap --quiet --variant=minbase --include="$packages" "$suite" "$1/root" >"$CACHE/base.log" 2>&1 &
  local debian=$!
  # Debian's own Python has the version of the image's. An index that can't be reached costs no retries.
  /usr/bin/python3 -m pip install --quiet --retries 0 --no-cache-dir --no-compile --only-binary :all: \
    --target "$1/site" $wheels >"$CACHE/pip.log" 2>&1 || fail "pip: $(grep -m1 ERROR "$CACHE/pip.log")"
  say 'Ray and torch downloaded'
  wait $debian || fail "mmdebstrap: $(grep -m1 '^E:' "$CACHE/base.log")"
  say 'Debian unpacked'
  rm -rf "$1"/site/{bin,torch/include,torch/test,torch/share,ray/rllib,ray/dashboard/client} "$1"/root/usr/share/{doc,man,locale,info}
  mv "$1/site"/* "$1/root/usr/local/lib/python3.11/dist-packages/"
}

import_base() {
  tar -C "$CACHE/base/root" --numeric-owner --exclude='./dev/*' -c . | on "$1" docker import - "$2"
}

build_engine() {
  local host=$1 base=$2 hash=$3 variant
  for variant in $VARIANTS; do
    tar -C "$LAB/image" -c . | on "$host" docker build --quiet --build-arg "BASE=$base" --target "$variant" -t "$IMAGE:$variant" -
  done
  on "$host" docker tag "$IMAGE:engine" "$IMAGE:latest"
  on "$host" docker tag "$IMAGE:engine" "$IMAGE:lab-$hash"
}
