import { createHash } from "node:crypto";
import type { Request, RequestHandler, Response } from "express";
import { ipKeyGenerator, rateLimit } from "express-rate-limit";
import { type Config, isLoopback } from "../config.js";
import { RecommenderError } from "../errors.js";
import type { Scope } from "./route.js";
import { createTokens, type Tokens } from "./tokens.js";

/** Requires a token with the scope of the route; without configured tokens, everybody may call it. */
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

/** Whether the client's token has this scope as well. */
export function mayAlso({ locals: { scopes } }: Response, scope: Scope): boolean {
  return scopes === undefined || (scopes as readonly Scope[]).includes(scope);
}

export function bearerOf({ headers: { authorization = "" } }: Request): string | undefined {
  return /^Bearer +(.+)$/i.exec(authorization)?.[1];
}

/** Describes the access rules. An error if other machines could connect without a token, or if no token is valid. */
export function checkAccess({ host, token, tokensFile }: Pick<Config, "host" | "token" | "tokensFile">): string {
  const tokens = createTokens({
    ...(token !== undefined && { token }),
    ...(tokensFile !== undefined && { tokensFile }),
  });
  if (!tokens.isOn && !isLoopback(host)) {
    throw new RecommenderError(
      "CONFIG_INVALID",
      `To listen on ${host}, where other machines can reach it, set CELREC_TOKEN to a secret of at least 16 characters.`,
    );
  }
  const count = tokens.count();
  if (tokens.isOn && count === 0) {
    throw new RecommenderError(
      "CONFIG_INVALID",
      `The token file ${tokensFile} contains no token, so nobody could connect; add a line with scopes, the SHA-256 of a token, and a name.`,
    );
  }
  return tokens.isOn ? `${host} with ${count === 1 ? "1 token" : `${count} tokens`}` : `${host} without tokens`;
}

/**
 * Limits the requests per minute of each token, or of each address without one; 0 is no limit. Unknown tokens count by
 * address, or a new token in every request would bypass the limit.
 */
export function limitRate(perMinute: number, tokens: Pick<Tokens, "find">): RequestHandler {
  if (perMinute === 0) return (_request, _response, next) => next();
  return rateLimit({
    windowMs: 60_000,
    limit: perMinute,
    standardHeaders: "draft-8",
    legacyHeaders: false,
    // Health checks are never limited.
    skip: ({ path }) => path === "/healthz" || path === "/readyz",
    keyGenerator: (request) => {
      const token = bearerOf(request);
      return token === undefined || tokens.find(token) === null
        ? ipKeyGenerator(request.ip ?? "")
        : createHash("sha256").update(token).digest("hex");
    },
    handler: (_request, _response, next) =>
      next(new RecommenderError("TOO_MANY", `More than ${perMinute} requests in a minute; wait before the next one.`)),
  });
}
