import { RecommenderError } from "../../errors.js";

/**
 * gRPC codes of a failed connection: cancelled, unavailable. A deadline is not among them, because a call may be late
 * on a live server.
 */
const OUTAGES = new Set<unknown>([1, 14]);
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;
/** The server's code of a missing collection. */
export const NOT_FOUND = 100;

/**
 * Whether the connection failed: an error of the client, or our own timeout. A status in the server's answer is not a
 * connection failure.
 */
export const isOutage = (cause: unknown): boolean =>
  cause instanceof Error && !("milvus" in cause) && OUTAGES.has((cause as { code?: unknown }).code);

export function outage(reason: string): Error {
  return Object.assign(new Error(reason), { code: UNAVAILABLE });
}

/** The error code in the server's answer; null if there was no answer. */
export const codeOf = (error: unknown): number | null =>
  (error as { cause?: { milvus?: number } }).cause?.milvus ?? null;

/** Whether the collection exists but is not loaded yet. Checked by the message, because servers wrap the code. */
export const isNotLoaded = (error: unknown): boolean =>
  /collection not (fully )?loaded/i.test((error as { cause?: { message?: string } }).cause?.message ?? "");

interface Status {
  readonly error_code?: unknown;
  readonly code?: number;
  readonly reason?: string;
}

/**
 * The status of an answer, since most failures do not throw: the answer is the status or has it as a field. Some
 * servers send the text "Success" with an error code.
 */
export function assertSuccess(response: unknown): void {
  const { status = response } = (response ?? {}) as { status?: unknown };
  const { error_code, code = 0 } = (status ?? {}) as Status;
  const isFine = (error_code === undefined || error_code === "Success" || error_code === 0) && code === 0;
  if (!isFine) throw toError(status);
}

/**
 * Makes an error of a thrown value. The client throws some answers as plain objects, which would print as [object
 * Object].
 */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const { status = thrown } = (thrown ?? {}) as { status?: unknown };
  const { error_code, code = 0, reason } = (status ?? {}) as Status;
  const message = reason || (error_code === undefined ? JSON.stringify(thrown) : String(error_code));
  return Object.assign(new Error(message), { milvus: code });
}

/** Whether the server rejects the credentials. */
export const isRefusal = (cause: unknown): boolean =>
  (cause as { code?: unknown }).code === UNAUTHENTICATED ||
  /auth check failure|unauthenticated/i.test((cause as { message?: string }).message ?? "");

export function unavailable(address: string, what: string, cause: unknown): RecommenderError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (/disk quota|no space left/i.test(reason)) {
    return new RecommenderError("DISK_FULL", `Milvus at ${address} has no room left to ${what}: ${reason}`, { cause });
  }
  const advice = isRefusal(cause)
    ? "check CELREC_MILVUS_TOKEN (user:password, or an API key)"
    : "is it running? Its address is CELREC_MILVUS_ADDRESS";
  const message = `Milvus at ${address} could not ${what}: ${reason}; ${advice}.`;
  return new RecommenderError("STORE_UNAVAILABLE", message, { cause });
}
