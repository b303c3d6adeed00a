import type { Request } from "express";
import { z } from "zod";
import type { UseCases } from "../ask/use-cases.js";
import type { ErrorCode, RecommenderError } from "../errors.js";
import type { Metrics } from "./metrics.js";

/** The scope that a token needs; `none` needs no token. */
export type Scope = "none" | "read" | "write" | "admin";

/** Reads and describes a request body. */
export interface BodyReader<T> {
  readonly content: Readonly<Record<string, z.ZodType>>;
  readonly maxBytes: number;
  read(request: Request): Promise<T> | T;
}

interface Reply {
  readonly status: number;
  /** The body: a string is sent as text, bytes as finished JSON, anything else is converted to JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** `application/json` by default. */
  readonly type?: string;
}

/** The input of a handler: the validated request and the use cases. */
interface Call<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly ask: UseCases;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  readonly metrics: Metrics;
  readonly onNotReady: (error: RecommenderError) => void;
  /** Whether the client's token also has this scope. */
  readonly may: (scope: Scope) => boolean;
  /** The public message of an error that is only part of an answer. */
  readonly explain: (error: unknown) => string;
  /** Whether the service is shutting down. */
  readonly isStopping: () => boolean;
}

/** One row of the route table, which Express, the 405 answers and the API document are made from. */
export interface Route<P = unknown, Q = unknown, B = unknown> {
  /** The operation id. */
  readonly name: string;
  readonly tag: "Asking" | "Agents" | "Notebooks" | "Index" | "Operations";
  readonly method: "get" | "post" | "delete";
  /** The path, with `{name}` for a parameter. */
  readonly path: string;
  readonly scope: Scope;
  readonly summary: string;
  readonly description?: string;
  readonly params: z.ZodType<P>;
  readonly query: z.ZodType<Q>;
  readonly body: BodyReader<B> | null;
  /** A valid body; a test sends it. */
  readonly example?: unknown;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Error codes of this route, in addition to the common ones. */
  readonly errors: readonly ErrorCode[];
  handle(call: Call<P, Q, B>): Promise<Reply> | Reply;
}

const nothing = z.strictObject({});
type Nothing = z.output<typeof nothing>;

type Parts = "params" | "query" | "body" | "errors";

/** Completes a row of the route table; an omitted part means no input. */
export function defineRoute<P = Nothing, Q = Nothing, B = null>(
  route: Omit<Route<P, Q, B>, Parts> & Partial<Pick<Route<P, Q, B>, Parts>>,
): Route<P, Q, B> {
  return {
    ...route,
    params: route.params ?? (nothing as unknown as z.ZodType<P>),
    query: route.query ?? (nothing as unknown as z.ZodType<Q>),
    body: route.body ?? null,
    errors: route.errors ?? [],
  };
}
