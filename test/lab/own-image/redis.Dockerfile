# The Redis of docker-compose.yml, of the lab's Debian and this machine's Redis. As in Docker's own image it takes
# connections from other containers.
ARG BASE
FROM ${BASE}
COPY bin /usr/local/bin/
COPY lib /usr/local/lib/redis/
ENV LD_LIBRARY_PATH=/usr/local/lib/redis
WORKDIR /data
ENTRYPOINT ["sh", "-c", "exec \"$@\" --protected-mode no", "sh"]
