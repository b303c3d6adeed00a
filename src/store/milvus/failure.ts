import { RecommenderError } from "../../errors.js";

/** gRPC codes that speak of the connection, not of the request: cancelled, unavailable. A call may be late on a live server. */
const OUTAGES = new Set<unknown>([1, 14]);
const UNAVAILABLE = 14;

/** What the client throws, and what we throw in its place where it would wait for ever. */
export const isOutage = (cause: unknown): boolean => OUTAGES.has((cause as { code?: unknown }).code);

export function outage(reason: string): Error {
  return Object.assign(new Error(reason), { code: UNAVAILABLE });
}

/** The server's code of a missing collection. */
export const NOT_FOUND = 100;

/** The server's own code of a failure that came as an answer; null where no answer came. */
export const codeOf = (error: unknown): number | null =>
  (error as { cause?: { milvus?: number } }).cause?.milvus ?? null;

/** Whether the collection is there, and not loaded yet. By its words, because servers wrap the code. */
export const isNotLoaded = (error: unknown): boolean =>
  /collection not (fully )?loaded/i.test((error as { cause?: { message?: string } }).cause?.message ?? "");

/** Most failures do not throw: the answer is the status, or has it as a field. Some servers say "Success" beside a code. */
export function assertSuccess(response: unknown): void {
  const { status = response } = (response ?? {}) as { status?: unknown };
  const { error_code, code = 0, reason } = (status ?? {}) as { error_code?: unknown; code?: number; reason?: string };
  const isFine = (error_code === undefined || error_code === "Success" || error_code === 0) && code === 0;
  if (!isFine) throw Object.assign(new Error(reason || String(error_code)), { milvus: code });
}

export function unavailable(address: string, what: string, cause: unknown): RecommenderError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (/disk quota|no space left/i.test(reason)) {
    return new RecommenderError("DISK_FULL", `Milvus at ${address} has no room left to ${what}: ${reason}`, { cause });
  }
  const message = `Milvus at ${address} could not ${what}: ${reason}; is it running? Its address is CELREC_MILVUS_ADDRESS.`;
  return new RecommenderError("STORE_UNAVAILABLE", message, { cause });
}
