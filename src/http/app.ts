import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import express, { type Express, type RequestHandler } from "express";
import type { UseCases } from "../ask/use-cases.js";
import { assetPath } from "../assets.js";
import type { Config } from "../config.js";
import { RecommenderError } from "../errors.js";
import { createErrorHandler, sendProblem } from "./error-handler.js";
import type { Logger } from "./logger.js";
import { mountRoutes } from "./mount.js";
import { createPage } from "./page.js";
import type { Scope } from "./route.js";
import { ROUTES } from "./routes.js";

export interface AppDeps {
  readonly config: Pick<Config, "token">;
  readonly ask: UseCases;
  readonly logger: Logger;
}

/** The REST service; it listens to nothing, so that whoever calls this chooses the address. */
export function createApp({ config, ask, logger }: AppDeps): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.use(identify(logger));
  app.get("/", createPage(ROUTES));
  app.use(express.static(assetPath("web"), { index: false }));
  mountRoutes(app, ROUTES, {
    ask,
    authorize: createAuthorize(config.token),
    onTrouble: (error) => logger.error({ code: error.code, detail: error.message }, "not ready"),
  });
  app.use((request, response) => sendProblem(response, 404, `There is no ${request.path}; see GET /.`));
  app.use(createErrorHandler(logger));
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

function createAuthorize(token: string | undefined): (scope: Scope) => RequestHandler {
  const expected = token === undefined ? null : digest(token);
  return (scope) => (request, _response, next) => {
    if (expected === null || scope === "none") return next();
    const [, given = ""] = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? "") ?? [];
    if (timingSafeEqual(digest(given), expected)) return next();
    throw new RecommenderError("UNAUTHORIZED", "The token is missing or wrong; send Authorization: Bearer TOKEN.");
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
