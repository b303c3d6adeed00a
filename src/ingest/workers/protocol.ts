import type { CrossingError } from "../../threads/crossing-error.js";

/** What a thread is asked; it works on one job after another, in order. */
export interface Job {
  readonly task: string;
  readonly input: unknown;
}

/** Its answers, in the order of the jobs; the first message of all says that it is ready. */
export type Answer = { readonly value: unknown } | { readonly error: CrossingError };

export const READY = "ready";
