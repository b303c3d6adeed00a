import type { Request, RequestHandler, Response } from "express";
import { RecommenderError } from "../errors.js";
import type { Scope } from "./route.js";
import type { Tokens } from "./tokens.js";

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
