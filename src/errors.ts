/** Every way celrec can fail that is not a bug. The command line and the REST service each map a code once. */
export type ErrorCode =
  | "CONFIG_INVALID"
  | "INPUT_INVALID"
  | "TOO_LARGE"
  | "MEDIA_TYPE"
  | "NOT_A_NOTEBOOK"
  | "HOLDS_SECRETS"
  | "NOT_FOUND"
  | "UNAUTHORIZED"
  | "FORBIDDEN"
  | "TOO_MANY"
  | "OVERLOADED"
  | "INDEX_MISMATCH"
  | "INDEX_LOCKED"
  | "STORE_UNAVAILABLE"
  | "MODEL_UNAVAILABLE"
  | "DISK_FULL"
  | "PORT_IN_USE"
  | "TARGET_FAILED"
  | "THRESHOLD_MISSED"
  | "INTERRUPTED";

/** One wrong part of an input: a JSON pointer (or the name of a variable or flag) and a message. */
export interface InputProblem {
  readonly pointer: string;
  readonly message: string;
}

/** The only error class. The code is for programs. The message is for people: it says what happened and what to do. */
export class RecommenderError extends Error {
  readonly code: ErrorCode;
  readonly problems: readonly InputProblem[];

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; problems?: readonly InputProblem[] } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "RecommenderError";
    this.code = code;
    this.problems = options.problems ?? [];
  }
}
