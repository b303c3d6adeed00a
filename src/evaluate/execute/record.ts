import { cellId } from "../../notebook/extract.js";
import type { KernelJob, Kernels, RunCell } from "./kernels.js";

/** One executed cell, as Themisto writes trajectories. */
export interface RecordedStep {
  readonly kernel_id: string;
  readonly code: string;
  readonly output: string;
  readonly execution_time: number;
  readonly memory_bytes: number | null;
  readonly runtime_variables: Readonly<
    Record<string, { readonly size: string; readonly type: string; readonly value: string }>
  >;
  readonly hash_index: string;
}

export interface Recording {
  readonly steps: readonly RecordedStep[];
  /** How the steps ended that did not end well. */
  readonly failures: readonly string[];
}

/** Executes cells in one kernel; a step that failed has the exception as its output, and people go on after it. */
export async function recordCells(
  kernels: Pick<Kernels, "run">,
  kernel: string,
  codes: readonly string[],
  options: Pick<KernelJob, "files" | "seconds">,
): Promise<Recording> {
  const cells = await kernels.run({ cells: codes, inspect: true, goOn: true, ...options });
  const steps = cells.map((cell, at) => ({
    kernel_id: kernel,
    code: codes[at]!,
    output: cell.status === "ok" ? cell.output : `${cell.output}${describeFailure(cell)}`,
    execution_time: cell.seconds,
    memory_bytes: cell.memory_bytes ?? null,
    runtime_variables: cell.variables ?? {},
    hash_index: cellId(codes[at]!),
  }));
  return { steps, failures: cells.filter(({ status }) => status !== "ok").map(describeFailure) };
}

const describeFailure = ({ error, status, message }: RunCell): string =>
  error === undefined ? ENDS[status] : `${error}: ${message ?? ""}`;

/** What ended a cell that raised nothing. */
const ENDS: Readonly<Record<RunCell["status"], string>> = {
  ok: "",
  error: "an exception",
  timeout: "the limit of time",
  memory: "the limit of memory",
  output: "the limit of output",
  files: "the limit of files",
  processes: "the limit of processes",
  died: "the death of its kernel",
};
