import type { z } from "zod";
import { type InputProblem, RecommenderError } from "../errors.js";

/** The value as the schema has it, or an INPUT_INVALID error that names every wrong part. */
export function parseInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = listProblems(parsed.error.issues, value);
  const detail = problems.map(({ pointer, message }) => `${nameOf(pointer)} ${message}`).join("; ");
  throw new RecommenderError("INPUT_INVALID", detail, { problems });
}

/** `k`, `context.before.3`: how people name a field; the pointer is for programs. */
function nameOf(pointer: string): string {
  if (pointer === "") return "The request";
  const parts = pointer.slice(1).split("/");
  return `\`${parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")).join(".")}\``;
}

/** Of a union, the branch that comes nearest speaks: the one whose own fields are there. */
function listProblems(issues: readonly z.core.$ZodIssue[], value: unknown): InputProblem[] {
  return issues.flatMap((issue): InputProblem[] => {
    if (issue.code === "invalid_union" && issue.errors.length > 0) {
      const nearest = [...issue.errors].sort((a, b) => distance(a) - distance(b) || a.length - b.length)[0]!;
      return listProblems(
        nearest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })),
        value,
      );
    }
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({ pointer: toPointer([...issue.path, key]), message: "is not a known field" }));
    }
    return [{ pointer: toPointer(issue.path), message: `${issue.message}${quote(value, issue.path)}` }];
  });
}

/** A value of another type altogether is further away than one that lacks a field. */
function distance(issues: readonly z.core.$ZodIssue[]): number {
  const isOther = issues.some(({ code, path }) => path.length === 0 && code !== "unrecognized_keys");
  return isOther ? Number.POSITIVE_INFINITY : issues.filter(({ message }) => message === "is missing").length;
}

export function toPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The value that is wrong, where it is short enough to say. */
function quote(value: unknown, path: readonly PropertyKey[]): string {
  let at = value;
  for (const part of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return "";
    at = (at as Record<PropertyKey, unknown>)[part];
  }
  if (typeof at === "object" && at !== null) return `, not ${Array.isArray(at) ? "a list" : "an object"}`;
  const text = JSON.stringify(at);
  return text === undefined || text.length > 80 ? "" : `, not ${text}`;
}
