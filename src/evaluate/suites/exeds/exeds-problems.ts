import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { readJsonLines } from "../../../notebook/json-lines.js";
import type { FileContent } from "../../execute/kernels.js";
import type { PredictionCase } from "../../predictions/prediction-run.js";
import { requireDistinctIds } from "../../runner/inputs.js";

/** A question about data, the cells above it, and the output of the reference cell. */
export interface Problem extends PredictionCase {
  /** Cells that must run before the context, and are not shown. */
  readonly setup: readonly string[];
  readonly context: readonly string[];
  readonly columns: string;
  readonly intent: string;
  readonly output: string;
  /** Up to three outputs that ExeDS's program accepts; without them, `output`. */
  readonly answers?: readonly string[] | undefined;
  /** How that program compares; without it, chosen by what the output looks like. */
  readonly answerType?: string | undefined;
  /** Path -> data. */
  readonly files: Readonly<Record<string, FileContent>>;
}

const pathSchema = z
  .string()
  .regex(/^[\w. -]+(\/[\w. -]+)*$/, "must be a plain path")
  .refine((path) => path.split("/").every((part) => !/^\.+$/.test(part)), "must not lead out of its folder");

const ownSchema = z.object({
  id: z.string().min(1),
  /** Problems of one notebook are alike; without it, those about the same data. */
  notebook: z.string().min(1).optional(),
  setup: z.array(z.string()).default([]),
  context: z.array(z.string()),
  columns: z.string().default(""),
  intent: z.string(),
  reference: z.string(),
  output: z.string(),
  answers: z.array(z.string()).max(3).optional(),
  answerType: z.string().optional(),
  /** Files beside the problems, in the folder `data`; or the data themselves, by their paths. */
  files: z
    .union([
      z.array(z.string().regex(/^[\w.-]+$/, "must be a plain file name")),
      z.record(pathSchema, z.union([z.string(), z.object({ base64: z.base64() })])),
    ])
    .default([]),
});

const cellSchema = z.object({ cell_type: z.string().optional(), str: z.string().nullish() }).nullish();

/**
 * A line of ExeDS's own file. It contains code and context; the outputs are in another table, so a line counts only
 * with the output added to it as `execution_output`.
 */
const publishedSchema = z.object({
  idx: z.union([z.string(), z.number()]).transform(String),
  context_dist1: cellSchema,
  context_dist2: cellSchema,
  context_dist3: cellSchema,
  table_keys: z.array(z.string()).default([]),
  output: z.object({ ori: z.string() }),
  execution_output: z.string(),
});

/** The problems of a JSON-lines file, in our form or in that of ExeDS; their data lie in the folder `data` beside it. */
export function readProblems(path: string): Problem[] {
  const problems = readJsonLines(path, "problems", z.union([ownSchema, publishedSchema])).map(({ value }) =>
    "idx" in value ? fromPublished(value) : fromOwn(value, join(dirname(path), "data")),
  );
  if (problems.length === 0) throw new RecommenderError("INPUT_INVALID", `${path} has no problems.`);
  requireDistinctIds(problems, path);
  return problems;
}

function fromOwn({ files, notebook, ...problem }: z.output<typeof ownSchema>, folder: string): Problem {
  const data = Array.isArray(files)
    ? Object.fromEntries(files.map((name) => [name, readData(join(folder, name))]))
    : files;
  return { ...problem, notebook: notebook ?? (Object.keys(data).join(" ") || problem.id), files: data };
}

function fromPublished(line: z.output<typeof publishedSchema>): Problem {
  const cells = [line.context_dist3, line.context_dist2, line.context_dist1].flatMap((cell) =>
    cell?.str ? [cell] : [],
  );
  const isText = ({ cell_type: type }: (typeof cells)[number]) => type !== "code";
  return {
    id: line.idx,
    notebook: line.idx,
    setup: [],
    context: cells.filter((cell) => !isText(cell)).map(({ str }) => str!),
    columns: line.table_keys.length === 0 ? "" : `df.columns=[${line.table_keys.join(", ")}]`,
    intent: cells
      .filter(isText)
      .map(({ str }) => str!)
      .join("\n\n"),
    reference: line.output.ori,
    output: line.execution_output,
    files: {},
  };
}

function readData(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new RecommenderError("NOT_FOUND", `The data ${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
