# What sparkops' Dockerfile begins from, of the lab's Debian and this machine's Node: nothing can be pulled.
ARG BASE
FROM ${BASE}
COPY node /usr/local/bin/
COPY npm /usr/local/lib/node_modules/npm/
# A company's own certificate may stand before the registry.
COPY ca-certificates.crt /etc/ssl/certs/
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd --uid 1000 --create-home node
