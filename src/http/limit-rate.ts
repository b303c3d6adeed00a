import { createHash } from "node:crypto";
import type { RequestHandler } from "express";
import { ipKeyGenerator, rateLimit } from "express-rate-limit";
import { RecommenderError } from "../errors.js";
import { bearerOf } from "./authorize.js";
import type { Tokens } from "./tokens.js";

/**
 * So many requests per minute of a token, or of an address; 0 is no limit. A token that is none of ours counts for the
 * address: who makes one up for every request would never be stopped.
 */
export function limitRate(perMinute: number, tokens: Pick<Tokens, "find">): RequestHandler {
  if (perMinute === 0) return (_request, _response, next) => next();
  return rateLimit({
    windowMs: 60_000,
    limit: perMinute,
    standardHeaders: "draft-8",
    legacyHeaders: false,
    // Who watches over the service must always learn how it is.
    skip: ({ path }) => path === "/healthz" || path === "/readyz",
    keyGenerator: (request) => {
      const token = bearerOf(request);
      return token === undefined || tokens.find(token) === null
        ? ipKeyGenerator(request.ip ?? "")
        : createHash("sha256").update(token).digest("hex");
    },
    handler: (_request, _response, next) =>
      next(new RecommenderError("TOO_MANY", `More than ${perMinute} requests in a minute; wait, and ask less often.`)),
  });
}
