import type { Request } from "express";
import type { z } from "zod";
import { parseInput } from "../ask/parse-input.js";
import { RecommenderError } from "../errors.js";
import { findJsonHazard } from "../notebook/guard-json.js";
import type { BodyReader } from "./route.js";

/** A body that is one JSON document of this shape. */
export function jsonBody<T extends z.ZodType>(schema: T): BodyReader<z.output<T>> {
  return { content: { "application/json": schema }, read: (request) => parseInput(schema, readJson(request)) };
}

/** The JSON document of the body. */
export function readJson(request: Request): unknown {
  const type = contentType(request);
  if (type !== "application/json" && type !== "application/x-ipynb+json") {
    throw new RecommenderError("MEDIA_TYPE", `The content type is ${type || "missing"}; send application/json.`);
  }
  return parseJson(
    bodyOf(request)
      .toString()
      .replace(/^\uFEFF/, ""),
  );
}

/** A request without a body has none of zero bytes either. */
export function bodyOf(request: Request): Buffer {
  return (request.body as Buffer | undefined) ?? Buffer.alloc(0);
}

export function contentType(request: Request): string {
  return (request.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
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
