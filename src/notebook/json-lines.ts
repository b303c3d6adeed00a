import { readFileSync } from "node:fs";
import type { z } from "zod";
import { RecommenderError } from "../errors.js";

interface JsonLine<T> {
  /** Counts from 1. */
  readonly line: number;
  readonly value: T;
}

/** A line that is not JSON, and what the parser says of it. */
interface BadLine {
  readonly line: number;
  readonly fault: string;
}

/** The lines of a JSON-lines text but the blank ones, in order; a byte order mark is passed over. */
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

/** The lines of a JSON-lines file; `what` is what messages call them. INPUT_INVALID names a bad line. */
export function readJsonLines<S extends z.ZodType>(path: string, what: string, schema: S): JsonLine<z.output<S>>[] {
  return Array.from(parseJsonLines(readText(path, what)), (each) => {
    const where = `${path}, line ${each.line}`;
    if ("fault" in each) throw invalid(`${where} is not JSON: ${each.fault}`);
    const parsed = schema.safeParse(each.value);
    if (parsed.success) return { line: each.line, value: parsed.data };
    throw invalid(`${where}: ${describeIssues(parsed.error.issues).join("; ")}`);
  });
}

/** Of a union, the issues of the alternative that is nearest to matching. */
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

/** An alternative that fails deeper inside is nearer. */
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
