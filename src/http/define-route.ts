import { z } from "zod";
import type { Route } from "./route.js";

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
