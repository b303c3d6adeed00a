import type { IncomingMessage, ServerResponse } from "node:http";
import { RecommenderError } from "../errors.js";

/** Who would wait longer than this is refused at once. */
const LONGEST_WAIT_MS = 1_000;
/** Fewer requests than this at one time are always taken: one large upload says nothing of how long questions take. */
const ALWAYS_TAKEN = 32;
/** What the newest answer counts in the mean. */
const NEWEST = 0.1;

export interface Admission {
  readonly handler: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  /** Requests that are being answered. */
  running(): number;
  /** From now on nobody is taken. */
  stop(): void;
}

/** Refuses with 503 what cannot be answered soon, and everything once the service is stopping. */
export function createAdmission(clock: () => number = () => performance.now()): Admission {
  let running = 0;
  let isStopping = false;
  // Milliseconds from one answer to the next, while there is work.
  let pace = 0;
  let answered = clock();
  return {
    running: () => running,
    stop: () => {
      isStopping = true;
    },
    handler: (_request, response, next) => {
      if (isStopping) {
        response.setHeader("connection", "close");
        throw new RecommenderError("OVERLOADED", "The service is stopping; ask again, or ask another one.");
      }
      if (running >= ALWAYS_TAKEN && running * pace > LONGEST_WAIT_MS) {
        throw new RecommenderError(
          "OVERLOADED",
          "The service has more to do than it can answer within a second; ask again later.",
        );
      }
      if (running === 0) answered = clock();
      running += 1;
      response.once("close", () => {
        running -= 1;
        const now = clock();
        pace += NEWEST * (now - answered - pace);
        answered = now;
      });
      next();
    },
  };
}
