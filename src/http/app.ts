import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import express, { type Express, type RequestHandler, type Response } from "express";
import helmet from "helmet";
import { parseInput } from "../ask/parse-input.js";
import type { UseCases } from "../ask/use-cases.js";
import { assetPath, type Config, packageVersion } from "../config.js";
import type { RecommenderError } from "../errors.js";
import { type Admission, createAdmission, shedLoad } from "./admission.js";
import { createAuthorize, createTokens, limitRate, mayAlso } from "./authorize.js";
import { createOriginCheck } from "./check-origin.js";
import { renderDocs } from "./docs-page.js";
import { createErrorHandler, createExplain, type Logger, sendProblem } from "./error-handler.js";
import { createMetrics, type Metrics } from "./metrics.js";
import { createApiDocument } from "./openapi.js";
import type { Route, Scope } from "./route.js";
import { ROUTES } from "./routes.js";

interface AppDeps {
  readonly config: Pick<Config, "token" | "tokensFile" | "host" | "hosts" | "origins" | "rate" | "feedback">;
  readonly ask: UseCases;
  readonly logger: Logger;
  /** Set by a caller that stops the service gracefully. */
  readonly admission?: Admission;
  /** Number of requests waiting for a thread. */
  readonly waiting?: () => number;
}

/**
 * The page loads nothing from other hosts and runs only its own script. HSTS is up to the proxy that terminates TLS.
 */
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

/** The REST service as a request listener; the caller chooses the address. */
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
  app.use(addRequestId(logger));
  app.use(createOriginCheck(config));
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
function addRequestId(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    const header = request.headers["x-request-id"];
    const requestId = typeof header === "string" && /^[\w.-]{1,64}$/.test(header) ? header : randomUUID();
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

interface MountDeps {
  readonly ask: UseCases;
  /** Makes a handler that rejects clients without this scope before their body is read. */
  readonly authorize: (scope: Scope) => RequestHandler;
  readonly admission: Admission;
  readonly metrics: Metrics;
  readonly onNotReady: (error: RecommenderError) => void;
  readonly explain: (error: unknown) => string;
}

/** Adds the routes to Express, and 405 for the other methods of their paths. */
function mountRoutes(app: Express, routes: readonly Route[], deps: MountDeps): void {
  const { ask, authorize, admission, metrics, onNotReady, explain } = deps;
  for (const route of routes) {
    const before = [
      metrics.watch(route.name),
      authorize(route.scope),
      ...admissionHandlers(route, admission),
      ...(route.body === null ? [] : [express.raw({ type: () => true, limit: route.body.maxBytes })]),
    ];
    app[route.method](toExpress(route.path), ...before, async (request, response) => {
      const {
        status,
        body,
        headers = {},
      } = await route.handle({
        params: parseInput(route.params, request.params),
        query: parseInput(route.query, request.query),
        body: await route.body?.read(request),
        ask,
        metrics,
        signal: whileConnected(response),
        onNotReady,
        may: (scope) => mayAlso(response, scope),
        explain,
        isStopping: admission.isStopping,
      });
      response.status(status).set(headers);
      if (body === undefined) response.end();
      else if (typeof body === "string") response.send(body);
      else if (body instanceof Uint8Array) response.type("json").set("content-length", `${body.length}`).end(body);
      else response.json(body);
    });
  }
  for (const [path, allow] of methodsByPath(routes)) app.all(toExpress(path), rejectMethod(allow));
}

/** Monitoring requests are never refused because of load. */
function admissionHandlers({ tag, scope }: Route, { questions, changes }: Admission): readonly RequestHandler[] {
  if (tag === "Operations") return [];
  return [scope === "read" ? questions : changes];
}

function toExpress(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** Aborted when the connection ends before the answer. */
function whileConnected(response: Response): AbortSignal {
  const disconnected = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) disconnected.abort();
  });
  return disconnected.signal;
}

const METHODS = ["get", "post", "delete"] as const;

function methodsByPath(routes: readonly Route[]): Map<string, string> {
  const paths = new Set(routes.map(({ path }) => path));
  const has = (path: string, method: string) => routes.some((route) => route.path === path && route.method === method);
  const list = (path: string) => METHODS.filter((method) => has(path, method)).map((method) => method.toUpperCase());
  return new Map([...paths].map((path) => [path, list(path).join(", ")]));
}

/** 405 with the allowed methods. */
function rejectMethod(allow: string): RequestHandler {
  return (request, response) => {
    response.setHeader("allow", allow);
    sendProblem(response, 405, `${request.method} ${request.path} is not allowed; allowed: ${allow}.`);
  };
}
