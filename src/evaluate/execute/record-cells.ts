import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { RecommenderError } from "../../errors.js";
import type { FileContent, KernelJob, Kernels, RunCell } from "./kernels.js";

/** One executed cell, in the format of Themisto's trajectories. */
interface RecordedStep {
  readonly kernel_id: string;
  /** The author's goal. */
  readonly task_description: string;
  readonly code: string;
  readonly output: string;
  readonly execution_time: number;
  readonly memory_bytes: number | null;
  readonly runtime_variables: Readonly<
    Record<string, { readonly size: number | null; readonly type: string; readonly value: string }>
  >;
  /** A hash of all variables with their values after the step. Null if the kernel died. */
  readonly hash_index: string | null;
}

interface Recording {
  readonly steps: readonly RecordedStep[];
  /** How each failed step ended. */
  readonly failures: readonly string[];
}

/** Executes cells in one kernel. A failed step has the exception as its output, and the next step still runs. */
export async function recordCells(
  kernels: Pick<Kernels, "run">,
  kernel: string,
  codes: readonly string[],
  { task, ...options }: Pick<KernelJob, "files" | "seconds"> & { readonly task: string },
): Promise<Recording> {
  const cells = await kernels.run({ cells: codes, inspect: true, goOn: true, ...options });
  const steps = cells.map((cell, at) => ({
    kernel_id: kernel,
    task_description: task,
    code: codes[at]!,
    output: cell.status === "ok" ? cell.output : `${cell.output}${describeFailure(cell)}`,
    execution_time: cell.seconds,
    memory_bytes: cell.memory_bytes ?? null,
    runtime_variables: Object.fromEntries(
      Object.entries(cell.variables ?? {}).map(([name, { size, type, value }]) => [name, { size, type, value }]),
    ),
    hash_index: cell.state ?? null,
  }));
  return { steps, failures: cells.filter(({ status }) => status !== "ok").map(describeFailure) };
}

const describeFailure = ({ error, status, message }: RunCell): string =>
  error === undefined ? ENDINGS[status] : `${error}: ${message ?? ""}`;

/** Descriptions of how a step ended, other than by an exception. */
const ENDINGS: Readonly<Record<RunCell["status"], string>> = {
  ok: "",
  error: "an exception",
  timeout: "the time limit",
  memory: "the memory limit",
  output: "the output limit",
  files: "the file limit",
  processes: "the process limit",
  died: "the end of its kernel",
};

/** Extensions of data files beside a notebook; larger files are skipped. */
const DATA_EXTENSIONS = [".csv", ".tsv", ".json", ".txt"];
const MAX_FILE_BYTES = 5 * 2 ** 20;
/** Limit on all files together; the scratch folder of a kernel has 256 MB. */
const MAX_TOTAL_BYTES = 64 * 2 ** 20;

/** The small files of data beside a notebook. */
export function readDataBeside(folder: string): Record<string, FileContent> {
  const files = readdirSync(folder).filter((name) => DATA_EXTENSIONS.includes(extname(name)));
  const small = files.filter((name) => statSync(join(folder, name)).size <= MAX_FILE_BYTES);
  return Object.fromEntries(small.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Every file below a folder; TOO_LARGE if they are too many or too large for a kernel. */
export function readDataFolder(folder: string): Record<string, FileContent> {
  const files = Object.entries(listDataFolder(folder));
  return Object.fromEntries(files.map(([name, { path }]) => [name, { base64: readFileSync(path).toString("base64") }]));
}

/** Like `readDataFolder`, but a file is read only when a kernel needs it. */
export function listDataFolder(folder: string): Record<string, { readonly path: string; readonly bytes: number }> {
  const files = listFiles(folder).map((name) => {
    const path = join(folder, name);
    return [name.split(sep).join("/"), { path, bytes: statSync(path).size }] as const;
  });
  const bytes = files.reduce((sum, [, file]) => sum + file.bytes, 0);
  if (bytes > MAX_TOTAL_BYTES)
    throw new RecommenderError("TOO_LARGE", `${folder} contains ${bytes} bytes; the limit is 64 MB.`);
  return Object.fromEntries(files);
}

function listFiles(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return entries.filter((name) => statSync(join(folder, name)).isFile()).sort();
  } catch (cause) {
    throw new RecommenderError("NOT_FOUND", `${folder} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
