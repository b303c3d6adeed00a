import type { Request } from "express";
import { z } from "zod";
import type { UseCases } from "../ask/use-cases.js";
import type { ErrorCode, RecommenderError } from "../errors.js";
import type { Metrics } from "./metrics.js";

/** What a token must allow; `none` is for anybody who may talk to the service at all. */
export type Scope = "none" | "read" | "write" | "admin";

/** How a body comes in: what reads it, and how the API document tells of it. */
export interface BodyReader<T> {
  readonly content: Readonly<Record<string, z.ZodType>>;
  readonly mostBytes: number;
  read(request: Request): Promise<T> | T;
}

export interface Reply {
  readonly status: number;
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** `application/json` unless told. */
  readonly type?: string;
}

/** What a handler works with: the checked request and the use cases. */
export interface Call<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly ask: UseCases;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  readonly metrics: Metrics;
  readonly onTrouble: (error: RecommenderError) => void;
  /** Whether the client's token has another scope, too. */
  readonly may: (scope: Scope) => boolean;
  /** What a client may be told of an error that is only part of an answer. */
  readonly explain: (error: unknown) => string;
  /** Whether the service takes no more work. */
  readonly isStopping: () => boolean;
}

/** One row of the table of routes: Express, the 405s, the page's list and the API document come from it. */
export interface Route<P = unknown, Q = unknown, B = unknown> {
  /** What clients call it. */
  readonly name: string;
  readonly tag: "Asking" | "Agents" | "Notebooks" | "Index" | "Operations";
  readonly method: "get" | "post" | "delete";
  /** With `{name}` for a parameter. */
  readonly path: string;
  readonly scope: Scope;
  readonly summary: string;
  readonly description?: string;
  readonly params: z.ZodType<P>;
  readonly query: z.ZodType<Q>;
  readonly body: BodyReader<B> | null;
  /** A body that works as it stands; a test sends it. */
  readonly example?: unknown;
  readonly answers: Readonly<Record<number, Answer>>;
  /** What can go wrong here besides what can everywhere. */
  readonly errors: readonly ErrorCode[];
  handle(call: Call<P, Q, B>): Promise<Reply> | Reply;
}

const nothing = z.strictObject({});
type Nothing = z.output<typeof nothing>;

type Parts = "params" | "query" | "body" | "errors";

/** A row of the table; what it leaves out it does not take. */
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
