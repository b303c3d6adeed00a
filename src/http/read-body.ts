import busboy from "busboy";
import type { Request } from "express";
import { z } from "zod";
import { LIMITS } from "../ask/limits.js";
import { parseInput, parseJson } from "../ask/parse-input.js";
import { notebookName } from "../ask/requests.js";
import { RecommenderError } from "../errors.js";
import type { Format } from "../notebook/formats.js";
import { createTurns } from "../threads/turns.js";
import type { BodyReader } from "./route.js";

/** A body that is one JSON document of this shape. */
export function jsonBody<T extends z.ZodType>(schema: T): BodyReader<z.output<T>> {
  return {
    content: { "application/json": schema },
    maxBytes: LIMITS.requestBytes,
    read: (request) => parseInput(schema, parseJson(jsonBytes(request), LIMITS.requestValues)),
  };
}

/** The bytes of a body with the content type JSON. */
export function jsonBytes(request: Request, taken = "application/json"): Buffer {
  const type = contentType(request);
  if (type !== "application/json" && type !== "application/x-ipynb+json") {
    throw new RecommenderError("MEDIA_TYPE", `The content type is ${type || "missing"}; send ${taken}.`);
  }
  return bodyOf(request);
}

/** Express leaves `body` undefined for a request without one. */
export function bodyOf(request: Request): Buffer {
  return (request.body as Buffer | undefined) ?? Buffer.alloc(0);
}

export function contentType(request: Request): string {
  return (request.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
}

/** One notebook of a body. If the body is not a form, the name comes from the query. */
export interface UploadPart {
  readonly name: string | null;
  readonly format: Format;
  readonly bytes: Buffer;
}

const ipynb = z.record(z.string(), z.unknown()).describe("The JSON of an ipynb file.");

/** A body that is one notebook, or a multipart form of several. */
export const uploadBody: BodyReader<readonly UploadPart[]> = {
  content: {
    "application/json": ipynb,
    "application/x-ipynb+json": ipynb,
    "multipart/form-data": z
      .object({ file: z.array(z.string().meta({ format: "binary" })).max(LIMITS.files) })
      .describe("Each notebook as a file (.ipynb, or .py in percent format); its file name is its name."),
  },
  maxBytes: LIMITS.bodyBytes,
  read: async (request) =>
    contentType(request) === "multipart/form-data"
      ? readForm(request)
      : [{ name: null, format: "ipynb", bytes: jsonBytes(request, "application/json or multipart/form-data") }],
};

/** Bytes of a form that are parsed before other work may run. */
const SLICE_BYTES = 1 << 20;

/** The files of a multipart form, in order. */
async function readForm(request: Request): Promise<UploadPart[]> {
  const files: { name: string; bytes: Buffer }[] = [];
  await new Promise<void>((resolve, reject) => {
    const broken = (cause: unknown) =>
      reject(
        new RecommenderError("INPUT_INVALID", "The body is not a complete multipart form.", {
          cause,
        }),
      );
    try {
      const limits = { files: LIMITS.files, parts: 2 * LIMITS.files, fileSize: LIMITS.bodyBytes };
      const parser = busboy({ headers: request.headers, preservePath: true, defParamCharset: "utf8", limits });
      parser.on("file", (_field, stream, { filename }) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("error", broken);
        stream.on("close", () => files.push({ name: filename, bytes: Buffer.concat(chunks) }));
      });
      const tooMany = () =>
        reject(
          new RecommenderError(
            "TOO_LARGE",
            `The form has more than ${LIMITS.files} files; send them in several forms.`,
          ),
        );
      parser.on("filesLimit", tooMany);
      parser.on("partsLimit", tooMany);
      parser.on("error", broken);
      parser.on("close", resolve);
      void feedParser(parser, bodyOf(request));
    } catch (cause) {
      broken(cause);
    }
  });
  if (files.length === 0)
    throw new RecommenderError("INPUT_INVALID", "The form contains no file; send each notebook as a file.");
  return files.map(({ name, bytes }) => ({
    name: parseInput(notebookName, name),
    format: name.endsWith(".py") ? "script" : "ipynb",
    bytes,
  }));
}

async function feedParser(parser: busboy.Busboy, body: Buffer): Promise<void> {
  const turn = createTurns();
  for (let at = 0; at < body.length; at += SLICE_BYTES) {
    parser.write(body.subarray(at, at + SLICE_BYTES));
    await turn();
  }
  parser.end();
}
