import type { Request } from "express";
import type { z } from "zod";
import { type InputProblem, RecommenderError } from "../errors.js";
import { findJsonHazard } from "../notebook/guard-json.js";
import type { NotebookFile } from "../notebook/notebook.js";

const MOST_CELLS = 5_000;

/** The value as the schema has it, or an INPUT_INVALID error that names every wrong part. */
export function parseRequest<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = listProblems(parsed.error.issues, value);
  const detail = problems.map(({ pointer, message }) => `${pointer || "the request"}: ${message}`).join("; ");
  throw new RecommenderError("INPUT_INVALID", detail, { problems });
}

/** The JSON document of the body. */
export function readJson(request: Request): unknown {
  const type = contentType(request);
  if (type !== "application/json" && type !== "application/x-ipynb+json") {
    throw new RecommenderError("MEDIA_TYPE", `The content type is ${type || "missing"}; send application/json.`);
  }
  // A request without a body has none of zero bytes either.
  return parseJson(((request.body as Buffer | undefined) ?? "").toString().replace(/^\uFEFF/, ""));
}

export function contentType(request: Request): string {
  return (request.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
}

export function checkCellCount(name: string, { cells }: NotebookFile): void {
  if (cells.length <= MOST_CELLS) return;
  throw new RecommenderError("TOO_LARGE", `${name} has ${cells.length} cells; at most ${MOST_CELLS} are taken.`);
}

function parseJson(text: string): unknown {
  const hazard = findJsonHazard(text);
  if (hazard !== null) throw new RecommenderError("INPUT_INVALID", `The body is not accepted: ${hazard}.`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = text.trim() === "" ? "it is empty" : (cause as Error).message.slice(0, 200);
    throw new RecommenderError("INPUT_INVALID", `The body is not JSON: ${reason}`, { cause });
  }
}

/** Of a union, the branch that comes nearest speaks: the one whose own fields are there. */
function listProblems(issues: readonly z.core.$ZodIssue[], value: unknown): InputProblem[] {
  return issues.flatMap((issue): InputProblem[] => {
    if (issue.code === "invalid_union" && issue.errors.length > 0) {
      const nearest = [...issue.errors].sort((a, b) => missingKeys(a) - missingKeys(b) || a.length - b.length)[0]!;
      return listProblems(nearest, value);
    }
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({ pointer: toPointer([...issue.path, key]), message: "is not a known field" }));
    }
    return [{ pointer: toPointer(issue.path), message: `${issue.message}${quote(value, issue.path)}` }];
  });
}

function missingKeys(issues: readonly z.core.$ZodIssue[]): number {
  return issues.filter((issue) => issue.code === "invalid_type" && issue.message.includes("received undefined")).length;
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
  const text = typeof at === "object" ? undefined : JSON.stringify(at);
  return text === undefined || text.length > 80 ? "" : ` (it is ${text})`;
}
