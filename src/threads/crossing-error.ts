import { type ErrorCode, type InputProblem, RecommenderError } from "../errors.js";

/** An error of ours as it crosses from one thread to another; anything else is a bug, and comes as it is. */
export type CrossingError =
  | { readonly code: ErrorCode; readonly message: string; readonly problems: readonly InputProblem[] }
  | { readonly bug: unknown };

export function packError(error: unknown): CrossingError {
  if (!(error instanceof RecommenderError)) return { bug: error };
  return { code: error.code, message: error.message, problems: error.problems };
}

export function unpackError(error: CrossingError): unknown {
  if ("bug" in error) return error.bug;
  return new RecommenderError(error.code, error.message, { problems: error.problems });
}
