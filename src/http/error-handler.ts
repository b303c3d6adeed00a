import type { ErrorRequestHandler, Response } from "express";
import { type ErrorCode, RecommenderError } from "../errors.js";
/** The HTTP status of each error code. */
export const STATUS = {
  CONFIG_INVALID: 500,
  INPUT_INVALID: 400,
  TOO_LARGE: 413,
  MEDIA_TYPE: 415,
  NOT_A_NOTEBOOK: 422,
  HOLDS_SECRETS: 422,
  NOT_FOUND: 404,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  TOO_MANY: 429,
  OVERLOADED: 503,
  INDEX_MISMATCH: 409,
  INDEX_LOCKED: 503,
  STORE_UNAVAILABLE: 503,
  MODEL_UNAVAILABLE: 503,
  DISK_FULL: 507,
  PORT_IN_USE: 500,
  TARGET_FAILED: 500,
  THRESHOLD_MISSED: 500,
  INTERRUPTED: 503,
} satisfies Record<ErrorCode, number>;

export const TITLE: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "Not authorised",
  403: "Forbidden",
  404: "Not found",
  405: "Method not allowed",
  409: "The index was made with other settings",
  413: "Too large",
  415: "Unsupported content type",
  422: "Not a Python notebook",
  429: "Too many requests",
  500: "Internal error",
  503: "Unavailable",
  507: "The disk is full",
};

/** Codes whose title differs from that of their status. */
const OWN_TITLE: Partial<Record<ErrorCode, string>> = { HOLDS_SECRETS: "The notebook contains secrets" };

const RETRY_SECONDS = "5";
/** Retry-After in seconds; overload usually ends soon. */
export const OVERLOAD_SECONDS = "1";

/** Public messages for codes whose own messages name folders, addresses or processes. The log has the full message. */
const PUBLIC_DETAIL: Partial<Record<ErrorCode, string>> = {
  CONFIG_INVALID: "The service is misconfigured; its log has the details.",
  INDEX_MISMATCH:
    "The index was made with another embedder or label set; the operator of the service can convert it with celrec reembed.",
  INDEX_LOCKED: "Another process is writing the index; try again later.",
  STORE_UNAVAILABLE: "The index cannot be used now; the log of the service has the details.",
  MODEL_UNAVAILABLE: "The model cannot be used now; the log of the service has the details.",
  DISK_FULL: "The disk of the service is full; delete notebooks to free space.",
};

const BUG_MESSAGE = "Something went wrong inside celrec; the log has the details.";

/** The last handler: every error becomes a problem document. An unknown error is a bug, and logged with its stack. */
export function createErrorHandler(logger: Logger): ErrorRequestHandler {
  return (error, request, response, next) => {
    const requestId = String(response.getHeader("x-request-id"));
    // The client is gone.
    if (response.destroyed) return;
    const known = toRecommenderError(error, request.headers["content-encoding"]);
    if (known === null) logger.error({ requestId, err: error as Error }, "unexpected error");
    if (response.headersSent) return next(error);
    if (known === null) return sendProblem(response, 500, BUG_MESSAGE);
    const status = STATUS[known.code];
    const detail = PUBLIC_DETAIL[known.code] ?? known.message;
    if (detail !== known.message) logger.error({ requestId, code: known.code, detail: known.message }, "refused");
    if (status === 503)
      response.setHeader("retry-after", known.code === "OVERLOADED" ? OVERLOAD_SECONDS : RETRY_SECONDS);
    if (status === 401) response.setHeader("www-authenticate", "Bearer");
    sendProblem(response, status, detail, known);
  };
}

/** The public message of an error that is only part of an answer. */
export function createExplain(logger: Logger): (error: unknown) => string {
  return (error) => {
    if (error instanceof RecommenderError) return PUBLIC_DETAIL[error.code] ?? error.message;
    logger.error({ err: error as Error }, "unexpected error");
    return BUG_MESSAGE;
  };
}

export function sendProblem(response: Response, status: number, detail: string, error?: RecommenderError): void {
  response.status(status).type("application/problem+json");
  response.send(
    JSON.stringify({
      type: "about:blank",
      title: (error && OWN_TITLE[error.code]) ?? TITLE[status] ?? "Error",
      status,
      detail,
      requestId: response.getHeader("x-request-id"),
      ...(error !== undefined && error.problems.length > 0 && { errors: error.problems }),
    }),
  );
}

/** Converts the errors of Express and its body parser for wrong requests. */
function toRecommenderError(error: unknown, encoding = "missing"): RecommenderError | null {
  if (error instanceof RecommenderError) return error;
  const { type, code, status, limit } = error as {
    type?: string;
    code?: string;
    status?: number;
    limit?: number;
  };
  if (type === "entity.too.large") {
    const largest = Math.round((limit ?? 0) / 2 ** 20);
    return new RecommenderError("TOO_LARGE", `The body is larger than ${largest} MB.`, { cause: error });
  }
  if (type === "encoding.unsupported") {
    const detail = `The content encoding is ${encoding}; send gzip, deflate, br, or none.`;
    return new RecommenderError("MEDIA_TYPE", detail, { cause: error });
  }
  // The codes of zlib, and of its Brotli.
  if (/^(Z_|ERR__ERROR)/.test(code ?? "")) {
    const detail = `The body is not valid ${encoding}, although its content-encoding says so; encode the body, or omit the header.`;
    return new RecommenderError("INPUT_INVALID", detail, { cause: error });
  }
  if (error instanceof URIError) {
    const detail = "The path has a % that is not valid percent-encoded UTF-8 (RFC 3986).";
    return new RecommenderError("INPUT_INVALID", detail, { cause: error });
  }
  if (status !== undefined && status >= 400 && status < 500) {
    return new RecommenderError("INPUT_INVALID", "The request was incomplete; send it again.", { cause: error });
  }
  return null;
}

/** The used part of a logger, such as pino's. */
export interface Logger {
  info(values: object, message: string): void;
  error(values: object, message: string): void;
}
