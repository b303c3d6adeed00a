import { createHash } from "node:crypto";

/** For addresses, where a path does not fit. */
export function sourceId(source: string): string {
  return createHash("sha256").update(source.toWellFormed()).digest("hex");
}
