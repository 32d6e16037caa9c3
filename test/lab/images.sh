# The images, made on this machine: nothing is pulled. Sourced by lab.sh.

# Debian with Python, Ray and CPU torch.
BASE_RECIPE='bookworm python3,iproute2,procps,libgomp1 ray==2.58.0 torch==2.13.0 safetensors numpy tqdm'

IMAGE_BASE=sparkops-lab/base
VARIANTS='engine drops-node-address own-entrypoint without-ray'

# Built on spark1; spark2 gets a copy of Docker's layers, so that both have the same image.
make_images() {
  local base engine
  base=$IMAGE_BASE:$(echo "$BASE_RECIPE" | digest)
  engine=lab-$({ context; echo "$base"; } | digest)
  if ! has spark1 "$base"; then
    make_base "$CACHE/base"
    tar -C "$CACHE/base/root" --numeric-owner --exclude='./dev/*' -c . | quietly on spark1 docker import - "$base"
    rm -rf "$CACHE/base"
    say 'base image imported'
  fi
  if ! has spark1 "$IMAGE:$engine"; then
    build_engine "$base" "$engine"
    say 'engine images built'
  fi
  if ! has spark2 "$IMAGE:$engine"; then
    copy_images
    say 'images copied to spark2'
  fi
}

digest() {
  sha256sum | cut -c1-12
}

context() {
  tar -C "$LAB/image" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -c .
}

has() {
  on "$1" docker image inspect "$2" >/dev/null 2>&1
}

quietly() {
  "$@" >"$CACHE/docker.log" 2>&1 || fail "$(tail -1 "$CACHE/docker.log")"
}

build_engine() {
  local base=$1 hash=$2 variant
  for variant in $VARIANTS; do
    context | quietly on spark1 docker build --build-arg "BASE=$base" --target "$variant" -t "$IMAGE:$variant" -
  done
  on spark1 docker tag "$IMAGE:engine" "$IMAGE:latest"
  on spark1 docker tag "$IMAGE:engine" "$IMAGE:$hash"
}

copy_images() {
  local host
  for host in $HOSTS; do
    on "$host" sh -c 'docker ps -aq | xargs -r docker rm --force >/dev/null'
    stop_docker "$host"
  done
  # A layer never changes, so what is there already stays.
  mkdir -p "$CACHE/spark2/docker/overlay2"
  cp -a --no-clobber "$CACHE/spark1/docker/overlay2/." "$CACHE/spark2/docker/overlay2/"
  rm -rf --one-file-system "$CACHE/spark2/docker/image"
  cp -a "$CACHE/spark1/docker/image" "$CACHE/spark2/docker/image"
  for host in $HOSTS; do start_docker "$host"; done
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
