import type { Action } from "./context.js";

/** Hands a command's action its context, and keeps the exit code it returns. */
export type Run = (action: Action) => (...parameters: unknown[]) => Promise<void>;
