import { createReadStream, existsSync, readFileSync } from "node:fs";
import { pipeline } from "node:stream";
import csvParser from "csv-parser";
import { z } from "zod";
import { RecommenderError } from "../../../errors.js";
import { createUniqueNames, readNotebooks } from "../../../notebook/corpus/open-paths.js";
import { normalizeSource } from "../../../notebook/extract.js";
import { readJsonLines } from "../../../notebook/json-text.js";
import { type PythonValue, readLiteral } from "../../published/python-value.js";

/** One executed cell, in Themisto's form. */
const stepSchema = z.object({
  kernel_id: z.string().min(1),
  /** The author's goal; equal for all steps of a kernel. */
  task_description: z
    .string()
    .nullish()
    .transform((text) => text ?? ""),
  code: z.string(),
  output: z
    .string()
    .nullish()
    .transform((text) => text ?? ""),
  execution_time: z.number().nullish(),
  memory_bytes: z.number().nullish(),
  runtime_variables: z
    .record(
      z.string(),
      z.object({
        size: z.union([z.string(), z.number()]).nullish(),
        type: z.string(),
        value: z.string().nullish(),
      }),
    )
    .nullish()
    .transform((variables) => variables ?? {}),
  hash_index: z.union([z.string(), z.number()]).nullish(),
});

export type Step = z.output<typeof stepSchema>;

/** The executed cells of one kernel, in order. */
export interface Trajectory {
  readonly kernel: string;
  readonly steps: readonly Step[];
}

/**
 * The trajectories of a file: JSON lines or a JSON array of steps, or a CSV log of JuNE. Steps of one kernel belong together, in
 * the order of the file.
 */
export async function readTrajectories(path: string): Promise<Trajectory[]> {
  if (/\.csv$/i.test(path)) return groupSteps(await readJuneLog(path));
  if (!isArray(path)) return groupSteps(readJsonLines(path, "trajectories", stepSchema).map(({ value }) => value));
  const parsed = z.array(stepSchema).safeParse(parseJson(readFileSync(path, "utf8")));
  if (parsed.success) return groupSteps(parsed.data);
  const { path: where, message } = parsed.error.issues[0]!;
  throw new RecommenderError("INPUT_INVALID", `${path}, step ${where.map(String).join(".")}: ${message}`);
}

function isArray(path: string): boolean {
  return existsSync(path) && /^[\uFEFF\s]*\[/.test(readFileSync(path, "utf8").slice(0, 64));
}

export function groupSteps(steps: readonly Step[]): Trajectory[] {
  const kernels = new Map<string, Step[]>();
  for (const step of steps) {
    const known = kernels.get(step.kernel_id);
    if (known === undefined) kernels.set(step.kernel_id, [step]);
    else known.push(step);
  }
  return [...kernels].map(([kernel, own]) => ({ kernel, steps: own }));
}

const outputSchema = z.object({
  output_type: z.string(),
  name: z.string().optional(),
  text: z.union([z.string(), z.array(z.string())]).optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
});

const notebookSchema = z.object({
  cells: z.array(
    z.object({
      cell_type: z.string(),
      source: z.union([z.string(), z.array(z.string())]),
      execution_count: z.number().nullish(),
      outputs: z.array(outputSchema).default([]),
    }),
  ),
});

/** The executed cells of notebooks, in the order of their execution counts. Notebooks do not save variables. */
export async function stepsOfNotebooks(paths: readonly string[], note: (text: string) => void): Promise<Step[]> {
  const nameOf = createUniqueNames();
  const steps: Step[] = [];
  for await (const { source, path, location, parsed } of readNotebooks(paths, note)) {
    // The notebook reader drops outputs, so the file is read again.
    if (location === undefined || "rejected" in parsed) continue;
    steps.push(...stepsOfFile(location, nameOf({ source, path })));
  }
  return steps;
}

function stepsOfFile(file: string, name: string): Step[] {
  const parsed = notebookSchema.safeParse(parseJson(readFileSync(file, "utf8")));
  if (!parsed.success) return [];
  return parsed.data.cells
    .filter((cell) => cell.cell_type === "code" && cell.execution_count != null)
    .sort((a, b) => a.execution_count! - b.execution_count!)
    .map(({ source, outputs, execution_count: count }) => ({
      kernel_id: name,
      task_description: "",
      code: normalizeSource(toText(source)),
      output: outputs.map(outputText).join(""),
      runtime_variables: {},
      hash_index: count!,
    }));
}

const toText = (text: string | readonly string[]): string => (typeof text === "string" ? text : text.join(""));

function outputText({ output_type: type, text, data, ename, evalue, name }: z.output<typeof outputSchema>): string {
  if (type === "stream" && name !== "stderr") return toText(text ?? "");
  if (type === "error") return `${ename}: ${evalue}`;
  const plain = type === "execute_result" ? data?.["text/plain"] : undefined;
  return typeof plain === "string" || Array.isArray(plain) ? toText(plain as string | string[]) : "";
}

/** A file that is not JSON is skipped. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Columns of a JuNE log that are read; it has others. */
const JUNE_COLUMNS = ["kernel_id", "event", "time", "cell_index", "cell_source", "cell_output"] as const;
type JuneRow = Readonly<Record<(typeof JUNE_COLUMNS)[number] | "notebook_name", string>>;

/**
 * The executions of a JuNE log, a CSV file with an event in every row. A step is an `execute` with the `finished_execute` of the
 * same cell; its output is the list of outputs in `cell_output`, written by Python or as JSON. The log has no variables.
 */
async function readJuneLog(path: string): Promise<Step[]> {
  const rows = csvParser();
  // The callback is empty, because the loop over `rows` throws the errors of both streams.
  pipeline(createReadStream(path), rows, () => {});
  const events: JuneRow[] = [];
  for await (const row of rows as AsyncIterable<JuneRow>) {
    const missing = JUNE_COLUMNS.find((column) => row[column] === undefined);
    if (missing !== undefined)
      throw new RecommenderError(
        "INPUT_INVALID",
        `${path} has no column ${missing}; a log of JuNE has ${JUNE_COLUMNS.join(", ")}.`,
      );
    events.push(row);
  }
  const timeOf = ({ time }: JuneRow) => Date.parse(time);
  const running = new Map<string, JuneRow>();
  const steps: Step[] = [];
  for (const row of events.toSorted((a, b) => timeOf(a) - timeOf(b))) {
    const cell = `${row.kernel_id} ${row.cell_index}`;
    if (row.event === "execute") running.set(cell, row);
    const start = row.event === "finished_execute" ? running.get(cell) : undefined;
    if (start === undefined) continue;
    running.delete(cell);
    const seconds = (timeOf(row) - timeOf(start)) / 1_000;
    steps.push({
      kernel_id: row.kernel_id,
      task_description: "",
      code: normalizeSource(start.cell_source),
      output: juneOutput(row.cell_output),
      ...(Number.isFinite(seconds) && { execution_time: seconds }),
      runtime_variables: {},
    });
  }
  return steps;
}

function juneOutput(text: string): string {
  const value = readLiteral(text.trim());
  const list = z.array(outputSchema).safeParse(value === null ? parseJson(text) : toJson(value));
  return list.success ? list.data.map(outputText).join("") : "";
}

/** Converts a Python literal to JSON. */
function toJson(value: PythonValue): unknown {
  switch (value.type) {
    case "str":
    case "bool":
      return value.value;
    case "number":
      return Number(value.real);
    case "list":
    case "tuple":
      return value.items.map(toJson);
    case "dict":
      return Object.fromEntries(value.entries.map(([key, entry]) => [String(toJson(key)), toJson(entry)]));
    default:
      return null;
  }
}
