import { readFileSync } from "node:fs";
import { z } from "zod";
import { RecommenderError } from "../../errors.js";
import { startPythonDriver } from "./python-driver.js";

/** Cells to run in order in a fresh kernel. */
export interface KernelJob {
  readonly cells: readonly string[];
  /**
   * Files by path, written into the kernel's working folder. As on Kaggle, `input/x` is also available as `../input/x`.
   */
  readonly files?: Readonly<Record<string, FileContent>>;
  /** Time limit for all cells together. */
  readonly seconds?: number;
  /** Time limit for each cell, instead of `seconds`. */
  readonly secondsPerCell?: number;
  /** Whether variables and memory are reported after every cell. */
  readonly inspect?: boolean;
  /** Whether the cells below an exception still run. */
  readonly goOn?: boolean;
}

/** Text, bytes, or a path of a local file that is read when a kernel needs it. */
export type FileContent = string | { readonly base64: string } | { readonly path: string; readonly bytes: number };

/** Which parts of the sandbox the machine allows. */
const isolationSchema = z.object({
  /** The program that makes the sandbox: bubblewrap, celrec itself, or none. */
  tool: z.enum(["bubblewrap", "own", "none"]),
  network: z.boolean(),
  files: z.boolean(),
  processes: z.boolean(),
  user: z.boolean(),
  reason: z.string().optional(),
});

type Isolation = z.output<typeof isolationSchema>;

const variableSchema = z.object({
  type: z.string(),
  /** Size in bytes, if Python can measure it. */
  size: z.number().nullable(),
  /** The `repr` of the value; cut if long. */
  value: z.string(),
  /** The columns of a data frame. */
  columns: z.array(z.string()).optional(),
});

const cellSchema = z.object({
  /**
   * How a cell ended: normally, with an exception, at a limit (time, memory, output, processes, files), or because its
   * kernel died.
   */
  status: z.enum(["ok", "error", "timeout", "memory", "output", "processes", "files", "died"]),
  /** Standard output and the value of the last expression. */
  output: z.string(),
  /**
   * The output that ExeDS's program compares: the first output stream (which includes standard error), else the value
   * of the last expression.
   */
  first: z.string().optional(),
  seconds: z.number(),
  error: z.string().optional(),
  message: z.string().nullish(),
  variables: z.record(z.string(), variableSchema).optional(),
  memory_bytes: z.number().optional(),
  /** A hash of the names, types and values of all variables. */
  state: z.string().optional(),
});

export type RunCell = z.output<typeof cellSchema>;

/**
 * Runs Python cells in kernels, through `scripts/kernel-driver.py`. After a failed cell, the remaining cells are
 * skipped unless `goOn` is set.
 */
export interface Kernels {
  readonly isolation: Isolation;
  run(job: KernelJob): Promise<RunCell[]>;
  /**
   * Runs cells, then each branch in a copy of the kernel with the resulting variables and files. The result of a branch
   * is null if it needs a kernel of its own: it uses `await`, the cells failed, or an earlier branch damaged the
   * kernel.
   */
  runBranches(
    job: KernelJob & { readonly branches: readonly string[] },
  ): Promise<{ readonly cells: RunCell[]; readonly branches: readonly (RunCell | null)[] }>;
  close(): Promise<void>;
}

interface KernelOptions {
  /** An interpreter that has jupyter_client and ipykernel. */
  readonly python: string;
  /** The PATH on which a bare name is looked up. */
  readonly searchPath?: string | undefined;
  /** Number of concurrent kernels. */
  readonly jobs?: number;
  readonly memoryBytes?: number;
  /** False to run without namespaces, on machines that forbid them: then only the limits apply. */
  readonly namespaces?: boolean;
  /** False to use our own sandbox even if bubblewrap is installed. */
  readonly bubblewrap?: boolean;
  /** Called with a warning if this machine does not allow a complete sandbox. */
  note(text: string): void;
}

/** Limit of the address space, not of memory in use: libraries reserve gigabytes that they never touch. */
const MAX_ADDRESS_SPACE = 4 * 2 ** 30;

/** Starts the driver and waits for its first kernel; TARGET_FAILED if no kernel can start. */
export async function openKernels({
  python,
  searchPath,
  jobs = 2,
  memoryBytes = MAX_ADDRESS_SPACE,
  namespaces = true,
  bubblewrap = true,
  note,
}: KernelOptions): Promise<Kernels> {
  const driver = await startPythonDriver({
    python,
    searchPath,
    script: "kernel-driver.py",
    args: [String(jobs), String(memoryBytes), ...(namespaces ? [] : ["bare"]), ...(bubblewrap ? [] : ["own"])],
    ready: isolationSchema,
    answer: z.object({ cells: z.array(cellSchema), branches: z.array(cellSchema.nullable()).optional() }),
    needs: { name: "a Python kernel", packages: "jupyter_client ipykernel" },
  });
  const warning = warnOf(driver.ready);
  if (warning !== null) note(warning);
  const send = (job: KernelJob) => driver.call({ ...job, files: readFiles(job.files ?? {}) });
  return {
    isolation: driver.ready,
    run: async (job) => (await send(job)).cells,
    async runBranches(job) {
      const { cells, branches } = await send(job);
      // A worker that died has reported no branches.
      return { cells, branches: branches ?? job.branches.map(() => null) };
    },
    close: driver.close,
  };
}

function readFiles(files: NonNullable<KernelJob["files"]>): Record<string, FileContent> {
  const read = (content: FileContent) =>
    typeof content === "object" && "path" in content
      ? { base64: readFileSync(content.path).toString("base64") }
      : content;
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [name, read(content)]));
}

/** The resources that cells can reach, because this machine does not allow a complete sandbox. */
export function notIsolated({ network, files, processes }: Isolation): string[] {
  return Object.entries({ network, files, processes }).flatMap(([part, isClosed]) => (isClosed ? [] : [part]));
}

/** A warning for the user about missing parts of the sandbox; null if bubblewrap isolates everything. */
export function warnOf(isolation: Isolation): string | null {
  const open = notIsolated(isolation);
  const why = isolation.reason === undefined ? "" : ` (${isolation.reason})`;
  if (open.length > 0)
    return `This machine does not allow a complete sandbox${why}: cells can reach its ${open.join(", ")}. Do not run untrusted code here.`;
  if (isolation.tool === "bubblewrap") return null;
  return `bubblewrap is not used${why || ": it is not installed"}. Cells run in celrec's own sandbox, which fewer people have examined. To use bubblewrap: apt-get install bubblewrap.`;
}

/** Without bubblewrap, refuses to execute code of a language model, unless the user allows it. */
export function requireBubblewrap(isolation: Isolation, isAllowed: boolean): void {
  if (isolation.tool === "bubblewrap" || isAllowed) return;
  throw new RecommenderError(
    "TARGET_FAILED",
    "Predictions of a language model are executed only in a sandbox of bubblewrap, which is not available. Install it (apt-get install bubblewrap), or allow a weaker sandbox with --allow-weak-sandbox.",
  );
}
