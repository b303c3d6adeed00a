import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import express, { type Express, type RequestHandler } from "express";
import { assetPath } from "../assets.js";
import type { Config } from "../config.js";
import type { Embedder } from "../embed/embedder.js";
import { RecommenderError } from "../errors.js";
import type { Ingest } from "../ingest/ingest.js";
import type { Labeller } from "../label/labeller.js";
import type { Recommend } from "../recommend/recommend.js";
import type { VectorStore } from "../store/vector-store.js";
import { createErrorHandler, sendProblem } from "./error-handler.js";
import type { Logger } from "./logger.js";
import { addCells } from "./routes/cells.js";
import { addHealth } from "./routes/health.js";
import { addLabels } from "./routes/labels.js";
import { addNotebooks } from "./routes/notebooks.js";
import { addRecommendations } from "./routes/recommendations.js";
import { addStats } from "./routes/stats.js";

export interface AppDeps {
  readonly config: Pick<Config, "preset" | "token">;
  readonly embedder: Embedder;
  readonly labeller: Labeller;
  readonly store: VectorStore;
  readonly ingest: Ingest;
  readonly recommend: Recommend;
  readonly logger: Logger;
}

const LARGEST_BODY = "25mb";

const METHODS = {
  "/healthz": "GET",
  "/readyz": "GET",
  "/v1/notebooks": "GET, POST",
  "/v1/notebooks/:id": "GET, DELETE",
  "/v1/recommendations": "POST",
  "/v1/labels": "GET, POST",
  "/v1/cells/:id": "GET",
  "/v1/stats": "GET",
  "/v1/index": "DELETE",
} as const;

/** The REST service; it listens to nothing, so that whoever calls this chooses the address. */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.use(identify(deps.logger));
  addHealth(app, deps);
  app.use(express.static(assetPath("web"), { index: "index.html" }));
  if (deps.config.token !== undefined) app.use("/v1", authorize(deps.config.token));
  app.use(express.raw({ type: () => true, limit: LARGEST_BODY }));
  for (const add of [addNotebooks, addRecommendations, addLabels, addCells, addStats]) add(app, deps);
  for (const [path, allow] of Object.entries(METHODS)) app.all(path, rejectMethod(allow));
  app.use((request, response) => sendProblem(response, 404, `There is no ${request.path}; see GET /.`));
  app.use(createErrorHandler(deps.logger));
  return app;
}

/** Gives every request an id, and logs it when it is answered. */
function identify(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    const given = request.headers["x-request-id"];
    const requestId = typeof given === "string" && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
    response.setHeader("x-request-id", requestId);
    response.on("finish", () => {
      const { method, path } = request;
      logger.info(
        { requestId, method, path, status: response.statusCode, ms: Math.round(performance.now() - start) },
        "request",
      );
    });
    next();
  };
}

function authorize(token: string): RequestHandler {
  const expected = digest(token);
  return (request, _response, next) => {
    const [, given = ""] = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? "") ?? [];
    if (timingSafeEqual(digest(given), expected)) return next();
    throw new RecommenderError("UNAUTHORIZED", "The token is missing or wrong; send Authorization: Bearer TOKEN.");
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** A known path with another method is 405 with the methods there are. */
function rejectMethod(allow: string): RequestHandler {
  return (request, response) => {
    response.setHeader("allow", allow);
    sendProblem(response, 405, `${request.method} ${request.path} is not possible; allowed: ${allow}.`);
  };
}
