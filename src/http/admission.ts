import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { LIMITS } from "../ask/limits.js";
import { RecommenderError } from "../errors.js";
import { OVERLOAD_SECONDS, TITLE } from "./error-handler.js";
import type { Route } from "./route.js";

/** Maximum expected wait; half of the second that an answer may take. A request that would wait longer is refused. */
const MAX_WAIT_MS = 500;
/** Up to this many concurrent requests are always accepted, because one slow request is no sign of overload. */
const ALWAYS_ACCEPTED = 32;
/** Weight of the newest answer in the moving average. */
const NEWEST_WEIGHT = 0.1;

/** The message of a refusal. */
const OVERLOADED_MESSAGE = "The service is overloaded; try again later.";

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

export interface Admission {
  /** For requests that are answered in milliseconds. */
  readonly questions: Handler;
  /** For requests that change the index and may have large bodies. */
  readonly changes: Handler;
  /** Checks the load early. The `questions` handler does not repeat the check. */
  accepts(question: IncomingMessage): boolean;
  /** Number of requests in progress. */
  running(): number;
  /** Refuses every request from now on. */
  stop(): void;
  isStopping(): boolean;
}

/** Refuses with 503 if a request would wait too long, or if the service is stopping. */
export function createAdmission(clock: () => number = () => performance.now()): Admission {
  const questions = createQuestionLane(clock);
  const changes = createChangeLane();
  let isStopping = false;
  const open =
    (lane: Handler): Handler =>
    (request, response, next) => {
      if (isStopping) {
        response.setHeader("connection", "close");
        throw refusal("The service is stopping; try again later.");
      }
      lane(request, response, next);
    };
  return {
    questions: open(questions.handler),
    changes: open(changes.handler),
    accepts: questions.accepts,
    running: () => questions.running() + changes.running(),
    stop: () => {
      isStopping = true;
    },
    isStopping: () => isStopping,
  };
}

/** Estimates the wait from the number of running requests and the pace of the latest answers. */
function createQuestionLane(clock: () => number) {
  let running = 0;
  // Moving average of the milliseconds between two answers, measured only while requests are waiting.
  let pace = 0;
  let answered = clock();
  const isFull = () => running >= ALWAYS_ACCEPTED && running * pace > MAX_WAIT_MS;
  /** Requests that passed `accepts`, which are not checked again. */
  const accepted = new WeakSet<IncomingMessage>();
  const accepts = (request: IncomingMessage) => {
    if (isFull()) return false;
    accepted.add(request);
    return true;
  };
  const handler: Handler = (request, response, next) => {
    if (!accepted.has(request) && isFull()) throw refusal(OVERLOADED_MESSAGE);
    if (running === 0) answered = clock();
    running += 1;
    response.once("close", () => {
      running -= 1;
      const now = clock();
      pace += NEWEST_WEIGHT * (now - answered - pace);
      answered = now;
    });
    next();
  };
  return { handler, accepts, running: () => running };
}

/** Limits uploads by number and by bytes, because bodies stay in memory until they are stored. */
function createChangeLane() {
  let running = 0;
  let heldBytes = 0;
  const handler: Handler = ({ headers }, response, next) => {
    const isOpenEnded = headers["transfer-encoding"] !== undefined;
    const bytes = isOpenEnded ? LIMITS.bodyBytes : Math.min(LIMITS.bodyBytes, Number(headers["content-length"] ?? 0));
    if (running >= LIMITS.changes.requests || (running > 0 && heldBytes + bytes > LIMITS.changes.bytes)) {
      throw refusal("Too many uploads at the same time; send it again later.");
    }
    running += 1;
    heldBytes += bytes;
    response.once("close", () => {
      running -= 1;
      heldBytes -= bytes;
    });
    next();
  };
  return { handler, running: () => running };
}

function refusal(message: string): RecommenderError {
  return new RecommenderError("OVERLOADED", message);
}

interface ShedDeps {
  readonly admission: Admission;
  readonly routes: readonly Route[];
  readonly onRefused: () => void;
}

/**
 * Refuses requests before any other work, because during a burst the cost of refusals slows down the accepted requests.
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
  response.end(
    JSON.stringify({ type: "about:blank", title: TITLE[503], status: 503, detail: OVERLOADED_MESSAGE, requestId }),
  );
}
