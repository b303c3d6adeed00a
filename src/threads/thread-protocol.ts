import { type ErrorCode, type InputProblem, RecommenderError } from "../errors.js";

/** The handlers of a thread, by name. */
export type Handlers = Readonly<Record<string, (input: never, context: CallContext) => unknown>>;

export type HandlerName<H> = keyof H & string;
export type HandlerInput<H extends Handlers, N extends HandlerName<H>> = Parameters<H[N]>[0];
export type HandlerOutput<H extends Handlers, N extends HandlerName<H>> =
  Awaited<ReturnType<H[N]>> extends Transferred<infer T> ? T : Awaited<ReturnType<H[N]>>;

/** The context of a call. */
export interface CallContext {
  /** Aborted when the caller cancels the call. */
  readonly signal: AbortSignal;
  /** The chunks that the caller sent before the call, in order. */
  readonly chunks: readonly unknown[];
  /** Streams a value to the caller before the answer. */
  report(value: unknown): void;
}

/** Messages to a thread. Calls are numbered, because a thread may work on several at once. */
export type ToThread =
  | { readonly chunk: unknown; readonly of: number }
  | { readonly call: number; readonly name: string; readonly input: unknown }
  | { readonly cancel: number }
  | { readonly close: true };

export type FromThread =
  | { readonly ready: unknown }
  | { readonly failed: WireError }
  | { readonly call: number; readonly report: unknown }
  | { readonly call: number; readonly value: unknown }
  | { readonly call: number; readonly error: WireError };

/** An error as it crosses threads. Only data survives a structured clone, so our own errors are rebuilt on arrival. */
type WireError =
  | { readonly code: ErrorCode; readonly message: string; readonly problems: readonly InputProblem[] }
  | { readonly bug: unknown };

export function packError(error: unknown): WireError {
  // A DOMException, such as that of a value that cannot be cloned, arrives without its name and message.
  if (error instanceof DOMException) return { bug: new Error(`${error.name}: ${error.message}`) };
  if (!(error instanceof RecommenderError)) return { bug: error };
  return { code: error.code, message: error.message, problems: error.problems };
}

export function unpackError(error: WireError): unknown {
  if ("bug" in error) return error.bug;
  return new RecommenderError(error.code, error.message, { problems: error.problems });
}

type TransferList = readonly ArrayBuffer[];

const TRANSFER_LIST = Symbol("transfer list");

/** A value whose buffers move to the other thread instead of being copied. */
export interface Transferred<T> {
  readonly value: T;
  readonly [TRANSFER_LIST]: TransferList;
}

/**
 * Marks an input, a chunk or an answer: the buffers are moved, and the sender can no longer use them.
 * @example return transfer(bytes, [bytes.buffer]);
 */
export function transfer<T>(value: T, list: TransferList): Transferred<T> {
  return { value, [TRANSFER_LIST]: list };
}

/** The value to post and the list to post it with. */
export function splitTransfer(value: unknown): { readonly value: unknown; readonly list: TransferList } {
  const isMarked = typeof value === "object" && value !== null && TRANSFER_LIST in value;
  if (!isMarked) return { value, list: [] };
  const marked = value as Transferred<unknown>;
  return { value: marked.value, list: marked[TRANSFER_LIST] };
}
