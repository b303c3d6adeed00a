import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { LIMITS } from "../ask/limits.js";
import { RecommenderError } from "../errors.js";
import { OVERLOAD_SECONDS, TITLE } from "./error-handler.js";
import type { Route } from "./route.js";

/** Who would wait longer than this is refused at once: half of the second that an answer may take at most. */
const LONGEST_WAIT_MS = 500;
/** Fewer questions than this at one time are always taken: one that takes long says nothing of the others. */
const ALWAYS_TAKEN = 32;
/** What the newest answer counts in the mean. */
const NEWEST = 0.1;

/** The message of a refusal. */
export const FULL = "The service has more to do than it can answer within a second; ask again later.";

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

export interface Admission {
  /** For what is answered in milliseconds. */
  readonly questions: Handler;
  /** For what changes the index, and may bring much. */
  readonly changes: Handler;
  /** Checks the load ahead of the `questions` handler, which then does not check it again. */
  accepts(question: IncomingMessage): boolean;
  /** Requests that are being answered. */
  running(): number;
  /** From now on nobody is taken. */
  stop(): void;
  isStopping(): boolean;
}

/** Refuses with 503 what cannot be answered soon, and everything once the service is stopping. */
export function createAdmission(clock: () => number = () => performance.now()): Admission {
  const questions = createQuestionLane(clock);
  const changes = createChangeLane();
  let isStopping = false;
  const open =
    (lane: Handler): Handler =>
    (request, response, next) => {
      if (isStopping) {
        response.setHeader("connection", "close");
        throw refusal("The service is stopping; ask again, or ask another one.");
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

/** How long somebody would wait is told by how many there are and how fast they were answered of late. */
function createQuestionLane(clock: () => number) {
  let running = 0;
  // Milliseconds from one answer to the next, while there is work.
  let pace = 0;
  let answered = clock();
  const isFull = () => running >= ALWAYS_TAKEN && running * pace > LONGEST_WAIT_MS;
  /** Requests that came through `accepts`: each is checked once. */
  const accepted = new WeakSet<IncomingMessage>();
  const accepts = (request: IncomingMessage) => {
    if (isFull()) return false;
    accepted.add(request);
    return true;
  };
  const handler: Handler = (request, response, next) => {
    if (!accepted.has(request) && isFull()) throw refusal(FULL);
    if (running === 0) answered = clock();
    running += 1;
    response.once("close", () => {
      running -= 1;
      const now = clock();
      pace += NEWEST * (now - answered - pace);
      answered = now;
    });
    next();
  };
  return { handler, accepts, running: () => running };
}

/** Bodies are held in memory until they are stored, so that their bytes count. */
function createChangeLane() {
  let running = 0;
  let held = 0;
  const handler: Handler = ({ headers }, response, next) => {
    const isOpenEnded = headers["transfer-encoding"] !== undefined;
    const bytes = isOpenEnded ? LIMITS.bodyBytes : Math.min(LIMITS.bodyBytes, Number(headers["content-length"] ?? 0));
    if (running >= LIMITS.changes.requests || (running > 0 && held + bytes > LIMITS.changes.bytes)) {
      throw refusal("More is being uploaded than the service takes at one time; send it again later.");
    }
    running += 1;
    held += bytes;
    response.once("close", () => {
      running -= 1;
      held -= bytes;
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
