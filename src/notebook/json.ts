/** The value as an object of own properties, or null for anything else. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** The value as a string that says something, or null. */
export function asString(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
