import { createHash } from "node:crypto";
import type { Request, RequestHandler, Response } from "express";
import { ipKeyGenerator, rateLimit } from "express-rate-limit";
import { type Config, isLoopback } from "../config.js";
import { RecommenderError } from "../errors.js";
import type { Scope } from "./route.js";
import { createTokens, type Tokens } from "./tokens.js";

/** Lets through who has a token with the scope of the route; everybody, where no tokens are set. */
export function createAuthorize(tokens: Tokens): (scope: Scope) => RequestHandler {
  return (scope) => (request, response, next) => {
    if (!tokens.isOn || scope === "none") return next();
    const token = tokens.find(bearerOf(request) ?? "");
    if (token === null)
      throw new RecommenderError("UNAUTHORIZED", "The token is missing or wrong; send Authorization: Bearer TOKEN.");
    if (!token.scopes.includes(scope)) {
      throw new RecommenderError(
        "FORBIDDEN",
        `The token has the scope ${token.scopes.join(", ")}; this needs ${scope}.`,
      );
    }
    response.locals.scopes = token.scopes;
    next();
  };
}

/** Whether who was let through may do this, too. */
export function mayAlso({ locals: { scopes } }: Response, scope: Scope): boolean {
  return scopes === undefined || (scopes as readonly Scope[]).includes(scope);
}

export function bearerOf({ headers: { authorization = "" } }: Request): string | undefined {
  return /^Bearer +(.+)$/i.exec(authorization)?.[1];
}

/** Who gets in, in words. An error where anybody could from elsewhere, or nobody at all. */
export function checkAccess({ host, token, tokensFile }: Pick<Config, "host" | "token" | "tokensFile">): string {
  const tokens = createTokens({
    ...(token !== undefined && { token }),
    ...(tokensFile !== undefined && { tokensFile }),
  });
  if (!tokens.isOn && !isLoopback(host)) {
    throw new RecommenderError(
      "CONFIG_INVALID",
      `To listen on ${host}, where others can reach it, set CELREC_TOKEN to a secret of 16 characters or more.`,
    );
  }
  const count = tokens.count();
  if (tokens.isOn && count === 0) {
    throw new RecommenderError(
      "CONFIG_INVALID",
      `The file of tokens ${tokensFile} holds no token, so that nobody could get in; add a line with scopes, the sha-256 of a token, and a name.`,
    );
  }
  return tokens.isOn ? `${host} with ${count === 1 ? "1 token" : `${count} tokens`}` : `${host} without tokens`;
}

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
