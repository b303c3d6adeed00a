import { createHash } from "node:crypto";

/** A short name of a value: equal for equal values, and only for these. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
