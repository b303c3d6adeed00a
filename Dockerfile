# The service alone. docker-compose.yml runs it together with Milvus.
FROM node:22-slim AS build
WORKDIR /app
COPY . .
# For a CodeBERT whose ONNX files are newer than IR 8: --build-arg CODEBERT_PACKAGE=@huggingface/transformers
ARG CODEBERT_PACKAGE=
# `npm ci` also builds, through the script `prepare`.
RUN npm ci && npm prune --omit=dev
RUN [ -z "$CODEBERT_PACKAGE" ] || ONNXRUNTIME_NODE_INSTALL_CUDA=skip npm install --no-save --omit=dev "$CODEBERT_PACKAGE"

FROM node:22-slim
ENV NODE_ENV=production CELREC_HOST=0.0.0.0 CELREC_PORT=8787 CELREC_DATA=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/models models
COPY --from=build /app/prompts prompts
COPY --from=build /app/seeds seeds
COPY --from=build /app/examples examples
COPY --from=build /app/web web
COPY --from=build /app/docs docs
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.CELREC_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Any address but 127.0.0.1 needs CELREC_TOKEN; without it the service exits with a message.
# Any other command goes behind the image: docker run ... index /notebooks
ENTRYPOINT ["node", "/app/dist/src/cli/main.js"]
CMD ["serve"]
