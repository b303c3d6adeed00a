import { readFileSync } from "node:fs";
import type { z } from "zod";
import { RecommenderError } from "../errors.js";

/** The value if it is a plain object, else null. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** The value as a non-blank string, or null. */
export function asString(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

/** Decodes UTF-8, or UTF-16 with a byte order mark, which some Windows tools write. */
export function decode(bytes: Uint8Array): string {
  const mark = bytes.length < 2 ? 0 : (bytes[0]! << 8) | bytes[1]!;
  return new TextDecoder(mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8").decode(bytes);
}

/** Texts below this length are always safe to parse. */
const SAFE_LENGTH = 1_000_000;
const MAX_DEPTH = 1_000;
const MAX_VALUES = 5_000_000;

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;

/**
 * The reason why `JSON.parse` must not get this text, or null. A hundred million nested levels or values would need
 * gigabytes before the result could be checked. Real notebooks are far below both limits.
 */
export function findJsonHazard(text: string, maxValues = MAX_VALUES): string | null {
  if (text.length < SAFE_LENGTH) return null;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === COMMA && ++values > maxValues)
      return `it contains more than ${maxValues.toLocaleString("en")} values`;
    // `[` and `{` differ from `]` and `}` in the second bit, and from each other in the sixth.
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

interface JsonLine<T> {
  /** Number of the line, from 1. */
  readonly line: number;
  readonly value: T;
}

/** A line that is not JSON, with the parser's message. */
interface BadLine {
  readonly line: number;
  readonly fault: string;
}

/** The non-blank lines of a JSON-lines text, without a byte order mark. */
export function* parseJsonLines(text: string): Generator<JsonLine<unknown> | BadLine> {
  for (const [at, written] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    if (written.trim() === "") continue;
    try {
      yield { line: at + 1, value: JSON.parse(written) as unknown };
    } catch (cause) {
      yield { line: at + 1, fault: (cause as Error).message };
    }
  }
}

/**
 * The lines of a JSON-lines file. `what` describes the file in error messages. A bad line throws INPUT_INVALID with its
 * number.
 */
export function readJsonLines<S extends z.ZodType>(path: string, what: string, schema: S): JsonLine<z.output<S>>[] {
  return Array.from(parseJsonLines(readText(path, what)), (each) => {
    const where = `${path}, line ${each.line}`;
    if ("fault" in each) throw invalid(`${where} is not JSON: ${each.fault}`);
    const parsed = schema.safeParse(each.value);
    if (parsed.success) return { line: each.line, value: parsed.data };
    throw invalid(`${where}: ${describeIssues(parsed.error.issues).join("; ")}`);
  });
}

/** For a union, describes the issues of the alternative that is nearest to matching. */
function describeIssues(issues: readonly z.core.$ZodIssue[], above: readonly PropertyKey[] = []): string[] {
  return issues.flatMap((issue) => {
    const path = [...above, ...issue.path];
    if (issue.code === "invalid_union" && issue.errors.length > 0)
      return describeIssues(
        issue.errors.toSorted((one, other) => one.length - other.length || deepest(other) - deepest(one))[0]!,
        path,
      );
    if (issue.code === "invalid_key") return describeIssues(issue.issues, path);
    return path.length === 0 ? issue.message : `${path.map(String).join(".")}: ${issue.message}`;
  });
}

/** The depth of the deepest issue. The deeper an alternative's issues are, the nearer it is to matching. */
const deepest = (issues: readonly z.core.$ZodIssue[]): number => Math.max(...issues.map(({ path }) => path.length));

function readText(path: string, what: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new RecommenderError("NOT_FOUND", `The ${what} ${path} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function invalid(message: string): RecommenderError {
  return new RecommenderError("INPUT_INVALID", message);
}
