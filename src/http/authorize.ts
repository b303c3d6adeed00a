import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { Request, RequestHandler, Response } from "express";
import { ipKeyGenerator, rateLimit } from "express-rate-limit";
import { type Config, isLoopback } from "../config.js";
import { RecommenderError } from "../errors.js";
import type { Scope } from "./route.js";

/** Requires a token with the scope of the route; without configured tokens, any client may call it. */
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

/**
 * Describes the access rules for the log. Throws if other machines could connect without a token, or if no token is
 * valid.
 */
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
      `The token file ${tokensFile} contains no token, so no client could connect; add a line with scopes, the SHA-256 of a token, and a name.`,
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

interface Token {
  readonly hash: Buffer;
  readonly name: string;
  readonly scopes: readonly Scope[];
}

/** The accepted tokens and their scopes. */
interface Tokens {
  /** Whether requests need a token. */
  readonly isOn: boolean;
  count(): number;
  /** The matching token, or null. */
  find(given: string): Pick<Token, "name" | "scopes"> | null;
}

interface TokenOptions {
  readonly clock?: () => number;
  /** Called when the file was read before and now cannot be. */
  readonly onReadError?: (error: RecommenderError) => void;
}

const SCOPES = ["read", "write", "admin"] as const;
/** Minimum milliseconds between two checks of the file. */
const RECHECK_MS = 1_000;

/** The configured token, and those of a file, which may change while the service runs. */
export function createTokens(
  { token, tokensFile }: Pick<Config, "token" | "tokensFile">,
  { clock = () => performance.now(), onReadError = () => {} }: TokenOptions = {},
): Tokens {
  const fixed: Token[] =
    token === undefined ? [] : [{ hash: hashOf(token), name: "CELREC_TOKEN", scopes: [...SCOPES] }];
  const readFile = tokensFile === undefined ? () => [] : createFileReader(tokensFile, clock, onReadError);
  return {
    isOn: token !== undefined || tokensFile !== undefined,
    count: () => fixed.length + readFile().length,
    find(given) {
      const hash = digest(given);
      // Compares with all tokens, so the timing reveals nothing.
      const [found] = [...fixed, ...readFile()].filter((each) => timingSafeEqual(each.hash, hash));
      return found ?? null;
    },
  };
}

/** Reads the file now, and again when it has changed. While it is broken or missing, the previous tokens stay valid. */
function createFileReader(
  file: string,
  clock: () => number,
  onReadError: (error: RecommenderError) => void,
): () => readonly Token[] {
  let changed = changeOf(file);
  let tokens = parseTokens(file);
  let looked = clock();
  let lastError = "";
  return () => {
    if (clock() - looked < RECHECK_MS) return tokens;
    looked = clock();
    const now = changeOf(file);
    if (now === changed) return tokens;
    try {
      tokens = parseTokens(file);
      changed = now;
      lastError = "";
    } catch (error) {
      if (!(error instanceof RecommenderError)) throw error;
      // Retried every second, reported once.
      if (error.message !== lastError) onReadError(error);
      lastError = error.message;
    }
    return tokens;
  };
}

/** Time of the last change in milliseconds; -1 if there is no file. */
function changeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -1;
}

/** One token per line: scopes, SHA-256 of the token in hex, and a name. `#` starts a comment. */
function parseTokens(file: string): Token[] {
  return readText(file)
    .split("\n")
    .flatMap((line, at): Token[] => {
      const [scopes = "", hash = "", ...name] = line.replace(/#.*/, "").trim().split(/\s+/);
      if (scopes === "") return [];
      const known = scopes.split(",").filter((scope) => (SCOPES as readonly string[]).includes(scope)) as Scope[];
      if (known.length !== scopes.split(",").length)
        rejectTokenFile(file, `line ${at + 1} has an unknown scope; known are ${SCOPES.join(", ")}`);
      if (!/^[0-9a-f]{64}$/i.test(hash)) rejectTokenFile(file, `line ${at + 1} has no SHA-256 in hex after its scopes`);
      return [{ hash: Buffer.from(hash, "hex"), name: name.join(" ") || `line ${at + 1}`, scopes: known }];
    });
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    return rejectTokenFile(file, code === "ENOENT" ? "it does not exist" : message, cause);
  }
}

function rejectTokenFile(file: string, reason: string, cause?: unknown): never {
  throw new RecommenderError("CONFIG_INVALID", `The token file ${file} cannot be used: ${reason}.`, { cause });
}

function hashOf(token: string): Buffer {
  const [, hash] = /^sha256:([0-9a-f]{64})$/i.exec(token) ?? [];
  return hash === undefined ? digest(token) : Buffer.from(hash, "hex");
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
