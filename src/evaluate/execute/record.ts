import { cellId } from "../../cells/extract.js";
import type { KernelJob, Kernels } from "./kernels.js";

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

/** Executes cells in one kernel; the last step is the first that did not end well, with the exception as its output. */
export async function recordCells(
  kernels: Pick<Kernels, "run">,
  kernel: string,
  codes: readonly string[],
  options: Pick<KernelJob, "files" | "seconds">,
): Promise<RecordedStep[]> {
  const cells = await kernels.run({ cells: codes, inspect: true, ...options });
  return cells.map((cell, at) => ({
    kernel_id: kernel,
    code: codes[at]!,
    output: cell.status === "ok" ? cell.output : `${cell.output}${cell.error ?? cell.status}: ${cell.message ?? ""}`,
    execution_time: cell.seconds,
    memory_bytes: cell.memory_bytes ?? null,
    runtime_variables: cell.variables ?? {},
    hash_index: cellId(codes[at]!),
  }));
}
