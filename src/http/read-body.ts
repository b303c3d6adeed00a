import type { Request } from "express";
import type { z } from "zod";
import { LIMITS } from "../ask/limits.js";
import { parseInput } from "../ask/parse-input.js";
import { parseJson } from "../ask/parse-json.js";
import { RecommenderError } from "../errors.js";
import type { BodyReader } from "./route.js";

/** A body that is one JSON document of this shape. */
export function jsonBody<T extends z.ZodType>(schema: T): BodyReader<z.output<T>> {
  return {
    content: { "application/json": schema },
    mostBytes: LIMITS.requestBytes,
    read: (request) => parseInput(schema, parseJson(jsonBytes(request), LIMITS.requestValues)),
  };
}

/** The bytes of a body that says that it is JSON. */
export function jsonBytes(request: Request, taken = "application/json"): Buffer {
  const type = contentType(request);
  if (type !== "application/json" && type !== "application/x-ipynb+json") {
    throw new RecommenderError("MEDIA_TYPE", `The content type is ${type || "missing"}; send ${taken}.`);
  }
  return bodyOf(request);
}

/** A request without a body has none of zero bytes either. */
export function bodyOf(request: Request): Buffer {
  return (request.body as Buffer | undefined) ?? Buffer.alloc(0);
}

export function contentType(request: Request): string {
  return (request.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
}
