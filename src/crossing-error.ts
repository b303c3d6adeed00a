import { RecommenderError } from "../../errors.js";
import type { CrossingError } from "./protocol.js";

export function packError(error: unknown): CrossingError {
  if (!(error instanceof RecommenderError)) return { bug: error };
  return { code: error.code, message: error.message, problems: error.problems };
}

export function unpackError(error: CrossingError): unknown {
  if ("bug" in error) return error.bug;
  return new RecommenderError(error.code, error.message, { problems: error.problems });
}
