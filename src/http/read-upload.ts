import busboy from "busboy";
import type { Request } from "express";
import { z } from "zod";
import { LIMITS } from "../ask/limits.js";
import { parseInput } from "../ask/parse-input.js";
import { notebookName } from "../ask/requests.js";
import { RecommenderError } from "../errors.js";
import type { ParsedNotebook } from "../notebook/notebook.js";
import { parseNotebook, readNotebook } from "../notebook/parse.js";
import { parseScript } from "../notebook/parse-script.js";
import { bodyOf, contentType, readJson } from "./read-body.js";
import type { BodyReader } from "./route.js";

/** One notebook as it came: the only one of a body has no name but that of the query. */
export interface UploadPart {
  readonly name: string | null;
  readonly parsed: ParsedNotebook;
}

const ipynb = z.record(z.string(), z.unknown()).describe("The JSON of an ipynb file.");

/** A body that is one notebook, or a form of many. */
export const uploadBody: BodyReader<readonly UploadPart[]> = {
  content: {
    "application/json": ipynb,
    "application/x-ipynb+json": ipynb,
    "multipart/form-data": z
      .object({ file: z.array(z.string().meta({ format: "binary" })).max(LIMITS.files) })
      .describe("Each notebook as a file (.ipynb, or .py in percent format); its file name is its name."),
  },
  read: async (request) =>
    contentType(request) === "multipart/form-data"
      ? (await readForm(request)).map(({ name, text }) => ({ name, parsed: parseFile(name, text) }))
      : [{ name: null, parsed: readNotebook(readJson(request)) }],
};

function parseFile(name: string, text: string): ParsedNotebook {
  return name.endsWith(".py") ? parseScript(text) : parseNotebook(text);
}

/** The files of a multipart form, in order. */
async function readForm(request: Request): Promise<{ name: string; text: string }[]> {
  const files: { name: string; text: string }[] = [];
  await new Promise<void>((resolve, reject) => {
    const broken = (cause: unknown) =>
      reject(
        new RecommenderError("INPUT_INVALID", "The body is not a multipart form that can be read to its end.", {
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
        stream.on("close", () => files.push({ name: filename, text: decode(Buffer.concat(chunks)) }));
      });
      const tooMany = () =>
        reject(
          new RecommenderError(
            "TOO_LARGE",
            `The form holds more than ${LIMITS.files} files; send them in several forms.`,
          ),
        );
      parser.on("filesLimit", tooMany);
      parser.on("partsLimit", tooMany);
      parser.on("error", broken);
      parser.on("close", resolve);
      parser.end(bodyOf(request));
    } catch (cause) {
      broken(cause);
    }
  });
  if (files.length === 0)
    throw new RecommenderError("INPUT_INVALID", "The form holds no file; send each notebook as a file.");
  return files.map(({ name, text }) => ({ name: parseInput(notebookName, name), text }));
}

function decode(bytes: Buffer): string {
  return new TextDecoder().decode(bytes);
}
