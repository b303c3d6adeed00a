/** The value as an object of own properties, or null for anything else. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** The value as a non-blank string, or null. */
export function asString(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/** UTF-8, or UTF-16 where the file says so, as some Windows tools write it. */
export function decode(bytes: Uint8Array): string {
  const mark = bytes.length < 2 ? 0 : (bytes[0]! << 8) | bytes[1]!;
  return new TextDecoder(mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8").decode(bytes);
}

/** Shorter texts are safe to parse, whatever they contain. */
const SAFE_LENGTH = 1_000_000;
const MAX_DEPTH = 1_000;
const MAX_VALUES = 5_000_000;

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;

/**
 * What makes this text dangerous to `JSON.parse`, or null. Nesting a hundred million deep, or as many values, would cost
 * gigabytes before any check of the result could run; notebooks of real people stay far below both limits.
 */
export function findJsonHazard(text: string, mostValues = MAX_VALUES): string | null {
  if (text.length < SAFE_LENGTH) return null;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === COMMA && ++values > mostValues)
      return `it holds more than ${mostValues.toLocaleString("en")} values`;
    // [ and { differ from ] and } in the second bit, and from each other in the sixth.
    else if ((char | 32) === 123 && ++depth > MAX_DEPTH)
      return `it is nested more than ${MAX_DEPTH.toLocaleString("en")} levels deep`;
    else if ((char | 32) === 125) depth -= 1;
  }
  return null;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}
