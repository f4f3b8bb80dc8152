# The image of the gateway; docs/operations-install.md says how to run it. test/repository/installs.system.test.ts executes these
# instructions in a folder, so paths in RUN are relative to the WORKDIR.
FROM node:24.21.0-trixie-slim AS build
WORKDIR /checkout
COPY . .
# --ignore-scripts: the image has its own Node.
RUN npm ci --omit=dev --ignore-scripts && npm run --silent generate && npm run --silent package -- ../parley
WORKDIR /parley
RUN npm ci --omit=dev --ignore-scripts && node scripts/slim.ts && install --directory --owner=1000 node_modules/.cache
# As the user of the image: Node keeps the compiled code of each user apart.
USER 1000:1000
RUN node scripts/precompile.ts
USER 0:0
# Node lets only its writer read it; in the image, it belongs to root.
RUN chmod -R a+rX node_modules/.cache
WORKDIR /
# OpenShift runs an image as any user, of the group 0.
RUN install --directory --owner=1000 --group=0 --mode=0770 data

FROM node:24.21.0-trixie-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
COPY --from=build /parley /parley
COPY --from=build --chown=1000:0 /data /data
WORKDIR /parley
VOLUME /data
USER 1000:1000
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "scripts/healthy.js"]
CMD ["node", "src/launch.ts"]
