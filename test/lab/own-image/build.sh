#!/usr/bin/env bash
# build.sh NODE REDIS LIBRARIES PROXY: on spark1, sparkops' image by its Dockerfile, with the npm registry behind PROXY. The
# images that it and docker-compose.yml pull elsewhere are made of NODE and of REDIS, a program with its LIBRARIES.
set -euo pipefail
node=$1 redis=$2 libraries=$3 proxy=$4
here=$(dirname "$(readlink -f "$0")")
repository=$here/../../..
. "$here/../settings.sh"

context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
base=$(on spark1 docker images --format '{{.Repository}}:{{.Tag}}' sparkops-lab/base | head -1)

# build FOLDER WORDS...: with the folder as its context.
build() {
  tar -C "$1" --dereference --mtime=@0 -c . | on spark1 docker build --build-arg "BASE=$base" "${@:2}" -
}

mkdir "$context"/{node,redis}
cp "$here/node.Dockerfile" "$context/node/Dockerfile"
ln -s "$node" "$context/node/node"
ln -s "$("$node" "$(command -v npm)" root --global)/npm" "$context/node/npm"
ln -s /etc/ssl/certs/ca-certificates.crt "$context/node/"
build "$context/node" -t node:20-bookworm-slim

mkdir "$context"/redis/{bin,lib}
cp "$here/redis.Dockerfile" "$context/redis/Dockerfile"
cp -L "$redis" "$context/redis/bin/redis-server"
cp -L "$(dirname "$redis")/redis-cli" "$context/redis/bin/"
LD_LIBRARY_PATH=$libraries ldd "$redis" | awk '$3 ~ "^/" { print $3 }' | grep -vE '/lib(c|m|dl|pthread)\.so' |
  xargs -r cp -L -t "$context/redis/lib"
build "$context/redis" -t redis:7-bookworm

# What .dockerignore lets through.
tar -C "$repository" -c Dockerfile .dockerignore $(sed -n 's/^!//p' "$repository/.dockerignore") |
  on spark1 docker build --network host --build-arg "https_proxy=$proxy" -t sparkops -
