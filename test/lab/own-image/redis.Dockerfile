# The Redis of docker-compose.yml, of the lab's Debian and this machine's Redis.
ARG BASE
FROM ${BASE}
COPY bin /usr/local/bin/
COPY lib /usr/local/lib/redis/
ENV LD_LIBRARY_PATH=/usr/local/lib/redis
WORKDIR /data
