import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import express, { type RequestHandler } from "express";
import helmet from "helmet";
import type { UseCases } from "../ask/use-cases.js";
import { assetPath, type Config, packageVersion } from "../config.js";
import { type Admission, createAdmission, shedLoad } from "./admission.js";
import { createAuthorize, limitRate } from "./authorize.js";
import { renderDocs } from "./docs-page.js";
import { createErrorHandler, createExplain, type Logger, sendProblem } from "./error-handler.js";
import { createGuard } from "./guard.js";
import { createMetrics } from "./metrics.js";
import { mountRoutes } from "./mount.js";
import { createApiDocument } from "./openapi.js";
import { ROUTES } from "./routes.js";
import { createTokens } from "./tokens.js";

interface AppDeps {
  readonly config: Pick<Config, "token" | "tokensFile" | "host" | "hosts" | "origins" | "rate" | "feedback">;
  readonly ask: UseCases;
  readonly logger: Logger;
  /** Given if the caller stops the service. */
  readonly admission?: Admission;
  /** Requests that wait for a thread. */
  readonly waiting?: () => number;
}

/** The page loads nothing from other hosts and runs only its own script. HSTS is left to the proxy that has TLS. */
const HEADERS = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      "default-src": ["'none'"],
      "script-src": ["'self'"],
      "style-src": ["'self'"],
      "img-src": ["'self'", "data:"],
      "connect-src": ["'self'"],
      "base-uri": ["'none'"],
      "form-action": ["'none'"],
      "frame-ancestors": ["'self'"],
    },
  },
  strictTransportSecurity: false,
};

/** The REST service as a request listener; the caller chooses where it listens. */
export function createApp({
  config,
  ask,
  logger,
  admission = createAdmission(),
  waiting = () => 0,
}: AppDeps): RequestListener {
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.use(identify(logger));
  app.use(createGuard(config));
  app.use(helmet(HEADERS));
  app.enable("strict routing");
  app.get("/", createPage(config));
  const api = createApiDocument(ROUTES, { version: packageVersion(), labels: ask.labels });
  const docs = renderDocs(api);
  app.get("/openapi.json", (_request, response) => void response.json(api));
  app.get("/docs", (_request, response) => void response.type("html").send(docs));
  app.use(express.static(assetPath("web"), { index: false }));
  const tokens = createTokens(config, {
    onReadError: ({ message }) =>
      logger.error({ detail: message }, "cannot read the token file; the previous tokens stay in use"),
  });
  app.use(limitRate(config.rate, tokens));
  const metrics = createMetrics({ running: admission.running, waiting, counts: ask.stats });
  mountRoutes(app, ROUTES, {
    ask,
    authorize: createAuthorize(tokens),
    admission,
    metrics,
    onNotReady: (error) => logger.error({ code: error.code, detail: error.message }, "not ready"),
    explain: createExplain(logger),
  });
  app.use((request, response) => sendProblem(response, 404, `There is no ${request.path}; see GET /.`));
  app.use(createErrorHandler(logger));
  return shedLoad(app, { admission, routes: ROUTES, onRefused: metrics.countRefusal });
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

/** The playground. Its editor adds a style sheet, which the content security policy allows by a nonce. */
function createPage({ feedback }: { readonly feedback: boolean }): RequestHandler {
  const page = readFileSync(assetPath("web/index.html"), "utf8");
  return (_request, response) => {
    const nonce = randomBytes(16).toString("base64");
    const policy = String(response.getHeader("content-security-policy"));
    response.setHeader(
      "content-security-policy",
      policy.replace("style-src 'self'", `style-src 'self' 'nonce-${nonce}'`),
    );
    const root = `<html lang="en" data-nonce="${nonce}" data-feedback="${feedback ? "on" : "off"}">`;
    response.type("html").send(page.replace('<html lang="en">', root));
  };
}
