import { randomUUID } from "node:crypto";
import type { RequestListener, ServerResponse } from "node:http";
import { type Admission, FULL } from "./admission.js";
import { OVERLOAD_SECONDS, TITLE } from "./error-handler.js";
import type { Route } from "./route.js";

export interface ShedDeps {
  readonly admission: Admission;
  readonly routes: readonly Route[];
  readonly onRefused: () => void;
}

/**
 * Refuses questions that cannot be taken before anything else is done for them: where a thousand come at once, what a refusal
 * costs is taken from those that are answered.
 */
export function shedLoad(app: RequestListener, { admission, routes, onRefused }: ShedDeps): RequestListener {
  const questions = new Set(
    routes.filter(({ tag, method }) => tag === "Asking" && method === "post").map(({ path }) => path),
  );
  return (request, response) => {
    const isQuestion = request.method === "POST" && questions.has(request.url ?? "");
    if (!isQuestion || admission.accepts(request)) return app(request, response);
    onRefused();
    refuse(response);
  };
}

function refuse(response: ServerResponse): void {
  const requestId = randomUUID();
  response.writeHead(503, {
    "content-type": "application/problem+json; charset=utf-8",
    "retry-after": OVERLOAD_SECONDS,
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
  });
  response.end(JSON.stringify({ type: "about:blank", title: TITLE[503], status: 503, detail: FULL, requestId }));
}
