import type { CrossingError } from "../../threads/crossing-error.js";

/** What a thread says of itself when it can be asked. */
export interface ThreadFacts {
  readonly labels: readonly string[];
  readonly embedder: string;
}

/** Several calls may be under way at once; each has a number of its own. */
export type ToThread =
  | { readonly call: number; readonly name: string; readonly args: readonly unknown[] }
  | { readonly cancel: number };

export type FromThread =
  | { readonly ready: ThreadFacts }
  | { readonly failed: CrossingError }
  | { readonly call: number; readonly value: unknown }
  | { readonly call: number; readonly error: CrossingError };
