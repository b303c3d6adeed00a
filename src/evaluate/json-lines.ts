import { readFileSync } from "node:fs";
import type { z } from "zod";
import { RecommenderError } from "../errors.js";

export interface JsonLine<T> {
  /** Counts from 1. */
  readonly line: number;
  readonly value: T;
}

/** The lines of a JSON-lines file but the blank ones; `what` is what messages call them. INPUT_INVALID names a bad line. */
export function readJsonLines<S extends z.ZodType>(path: string, what: string, schema: S): JsonLine<z.output<S>>[] {
  return readLines(path, what).flatMap((text, at) =>
    text.trim() === "" ? [] : [{ line: at + 1, value: parseLine(text, `${path}, line ${at + 1}`, schema) }],
  );
}

function readLines(path: string, what: string): string[] {
  try {
    return readFileSync(path, "utf8")
      .replace(/^\uFEFF/, "")
      .split("\n");
  } catch (cause) {
    throw new RecommenderError("NOT_FOUND", `The ${what} ${path} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function parseLine<S extends z.ZodType>(text: string, where: string, schema: S): z.output<S> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw invalid(`${where} is not JSON: ${(cause as Error).message}`);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const reasons = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`,
  );
  throw invalid(`${where}: ${reasons.join("; ")}`);
}

function invalid(message: string): RecommenderError {
  return new RecommenderError("INPUT_INVALID", message);
}
