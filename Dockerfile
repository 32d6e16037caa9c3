# Builds with the development packages, runs without them: as an ordinary user, and on a read-only root.
# Install scripts are not run: they would compile native parts that are optional, with headers from nodejs.org.
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run build

FROM node:20-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Among what is optional is TypeScript, of which a package makes use where it is.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:20-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY programs ./programs
COPY assets ./assets
USER node
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["start", "--config", "/config"]
