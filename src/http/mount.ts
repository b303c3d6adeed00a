import express, { type Express, type RequestHandler, type Response } from "express";
import { parseInput } from "../ask/parse-input.js";
import type { UseCases } from "../ask/use-cases.js";
import type { RecommenderError } from "../errors.js";
import type { Admission } from "./admission.js";
import { mayAlso } from "./authorize.js";
import { sendProblem } from "./error-handler.js";
import type { Metrics } from "./metrics.js";
import type { Route, Scope } from "./route.js";

interface MountDeps {
  readonly ask: UseCases;
  /** Refuses clients without the scope, before the body is read. */
  readonly authorize: (scope: Scope) => RequestHandler;
  readonly admission: Admission;
  readonly metrics: Metrics;
  readonly onNotReady: (error: RecommenderError) => void;
  readonly explain: (error: unknown) => string;
}

/** Adds the routes to Express, and 405 for the other methods of their paths. */
export function mountRoutes(app: Express, routes: readonly Route[], deps: MountDeps): void {
  const { ask, authorize, admission, metrics, onNotReady, explain } = deps;
  for (const route of routes) {
    const before = [
      metrics.watch(route.name),
      authorize(route.scope),
      ...admit(route, admission),
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
      else response.json(body);
    });
  }
  for (const [path, allow] of methodsByPath(routes)) app.all(toExpress(path), rejectMethod(allow));
}

/** Monitoring is answered under any load. */
function admit({ tag, scope }: Route, { questions, changes }: Admission): readonly RequestHandler[] {
  if (tag === "Operations") return [];
  return [scope === "read" ? questions : changes];
}

function toExpress(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** Aborted when the connection ends before the answer. */
function whileConnected(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
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
