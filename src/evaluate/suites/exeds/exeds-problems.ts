import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { readJsonLines } from "../../../notebook/json-text.js";
import type { FileContent } from "../../execute/kernels.js";
import { type ContextCell, contextOf } from "../../notebook-context.js";
import type { PredictionCase } from "../../predictions/prediction-run.js";
import type { TargetQuery } from "../../target.js";
import { toComment } from "../../targets/model/prompts.js";

/** A question about data, the cells above it, and the output of the reference cell. */
export interface Problem extends PredictionCase {
  /** Code that runs before the prediction, in order. */
  readonly before: readonly string[];
  /** The cells above that targets get, code or Markdown, nearest last, without the intent. */
  readonly context: readonly ContextCell[];
  /** The columns of the data as `df.columns=[...]`, or an empty text. */
  readonly columns: string;
  readonly intent: string;
  readonly output: string;
  /** Up to three accepted outputs; without them, `output`. */
  readonly answers?: readonly string[] | undefined;
  /** The answer type for ExeDS's program; by default chosen by the form of the output. */
  readonly answerType?: string | undefined;
  /** Data files by path. */
  readonly files: Readonly<Record<string, FileContent>>;
}

const pathSchema = z
  .string()
  .regex(/^[\w. -]+(\/[\w. -]+)*$/, "must be a plain path")
  .refine((path) => path.split("/").every((part) => !/^\.+$/.test(part)), "must not lead out of its folder");

const ownSchema = z.object({
  id: z.string().min(1),
  /** The notebook, as unit of resampling; by default problems about the same data form a unit. */
  notebook: z.string().min(1).optional(),
  /** Cells that run before the context and are not shown. */
  setup: z.array(z.string()).default([]),
  /** A plain text means a code cell. */
  context: z.array(z.union([z.string(), z.object({ type: z.enum(["code", "markdown"]), source: z.string() })])),
  columns: z.string().default(""),
  intent: z.string(),
  reference: z.string(),
  output: z.string(),
  answers: z.array(z.string()).max(3).optional(),
  answerType: z.string().optional(),
  /** Names of files in the folder `data` beside the problems, or the contents by path. */
  files: z
    .union([
      z.array(z.string().regex(/^[\w.-]+$/, "must be a plain file name")),
      z.record(pathSchema, z.union([z.string(), z.object({ base64: z.base64() })])),
    ])
    .default([]),
});

/** A problem in our own form, as `celrec eval build exeds` writes it. */
export type OwnProblem = z.input<typeof ownSchema>;

/** The problems of a file of JSON lines in our form, with their data in the folder `data` beside it. */
export function readOwnProblems(path: string): Problem[] {
  const folder = join(dirname(path), "data");
  return readJsonLines(path, "problems", ownSchema).map(({ value }) => toProblem(value, folder));
}

/** A problem in memory; `folder` is where its data are. */
export function toProblem(line: OwnProblem, folder: string): Problem {
  const { files, notebook, setup, context, ...problem } = ownSchema.parse(line);
  const data = Array.isArray(files)
    ? Object.fromEntries(files.map((name) => [name, readData(join(folder, name))]))
    : files;
  const cells = context.map((cell) => (typeof cell === "string" ? { type: "code", source: cell } : cell));
  return {
    ...problem,
    notebook: notebook ?? (Object.keys(data).join(" ") || problem.id),
    before: [...setup, ...codeOf(cells)],
    context: cells,
    files: data,
  };
}

const codeOf = (cells: readonly ContextCell[]): string[] =>
  cells.filter(({ type }) => type === "code").map(({ source }) => source);

/**
 * The question to a target. A service takes code cells and one Markdown text, so the columns and other Markdown become
 * comments in the cells before.
 */
export function toQuery({ context, columns, intent }: Problem, k: number): TargetQuery {
  const table = columns === "" ? [] : [{ type: "code", source: columns }];
  const above = [...table, ...context];
  const asCode = above.map(({ type, source }) => ({
    type: "code",
    source: type === "code" ? source : toComment(source),
  }));
  return {
    code: "",
    k,
    context: { before: contextOf(asCode, asCode.length).before, markdown: intent },
    above,
  };
}

function readData(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new RecommenderError("NOT_FOUND", `The data ${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
