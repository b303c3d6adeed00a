import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { z } from "zod";
import { assetPath } from "../../config.js";
import { RecommenderError } from "../../errors.js";
import { type Isolation, isolationSchema, warnOf } from "./isolation.js";

/** Cells to run one after another in a fresh kernel. */
export interface KernelJob {
  readonly cells: readonly string[];
  /** Path -> content, written below the folder that the kernel starts in; `input/x` is `../input/x`, too, as on Kaggle. */
  readonly files?: Readonly<Record<string, FileContent>>;
  /** For all cells together. */
  readonly seconds?: number;
  /** Whether variables and memory are looked at after every cell. */
  readonly inspect?: boolean;
  /** Whether the cells below an exception are run, as people do who go on. */
  readonly goOn?: boolean;
}

/** Text, or any bytes. */
export type FileContent = string | { readonly base64: string };

const variableSchema = z.object({ type: z.string(), size: z.string(), value: z.string() });

const cellSchema = z.object({
  /** What ended a cell: nothing, an exception, a limit (time, memory, output, processes, files), or the end of its kernel. */
  status: z.enum(["ok", "error", "timeout", "memory", "output", "processes", "files", "died"]),
  /** Standard output and the value of the last expression. */
  output: z.string(),
  /** What ExeDS's program looks at: the first stream, standard error included, else the value of the last expression. */
  first: z.string().optional(),
  seconds: z.number(),
  error: z.string().optional(),
  message: z.string().nullish(),
  variables: z.record(z.string(), variableSchema).optional(),
  memory_bytes: z.number().optional(),
});

export type RunCell = z.output<typeof cellSchema>;

const lineSchema = z.union([
  z.object({ ready: isolationSchema }),
  z.object({ id: z.int(), cells: z.array(cellSchema) }),
  z.object({ id: z.int(), fault: z.string() }),
]);

/** Python kernels behind a driver of ours. The cells after one that did not end well are not run, unless the job says so. */
export interface Kernels {
  readonly isolation: Isolation;
  run(job: KernelJob): Promise<RunCell[]>;
  close(): Promise<void>;
}

export interface KernelOptions {
  /** An interpreter that has jupyter_client and ipykernel. */
  readonly python: string;
  /** Where it is looked for, if it is no path. */
  readonly searchPath?: string | undefined;
  /** Kernels at once. */
  readonly jobs?: number;
  readonly memoryBytes?: number;
  /** False to do without namespaces, as machines must that forbid them: then only the limits hold. */
  readonly namespaces?: boolean;
  /** False to use our own sandbox even if bubblewrap is installed. */
  readonly bubblewrap?: boolean;
  /** News for people: whoever executes cells is told where the sandbox has holes. */
  note(text: string): void;
}

/** Of addresses, not of memory in use: libraries reserve gigabytes that they never touch. */
const MEMORY = 4 * 2 ** 30;

/** Starts the driver and waits for its first kernel; TARGET_FAILED where there is none to be had. */
export async function openKernels({
  python,
  searchPath = "/usr/local/bin:/usr/bin:/bin",
  jobs = 2,
  memoryBytes = MEMORY,
  namespaces = true,
  bubblewrap = true,
  note,
}: KernelOptions): Promise<Kernels> {
  const script = assetPath("scripts/kernel-driver.py");
  const options = [...(namespaces ? [] : ["bare"]), ...(bubblewrap ? [] : ["own"])];
  const driver = spawn(python, [script, String(jobs), String(memoryBytes), ...options], {
    stdio: "pipe",
    // A cell could read the environment of its driver: it holds nothing.
    env: { PATH: searchPath, LANG: "C.UTF-8" },
  });
  const waiting = new Map<number, { done(cells: RunCell[]): void; fail(error: Error): void }>();
  let said = "";
  let ended: Error | null = null;
  driver.stderr.on("data", (text: Buffer) => {
    said = `${said}${text}`.slice(-2_000);
  });
  // A driver that ended has nobody to write to.
  driver.stdin.on("error", () => {});
  const isolation = await new Promise<Isolation>((ready, fail) => {
    const end = (why: string) => {
      ended = failed(python, why);
      fail(ended);
      for (const each of waiting.values()) each.fail(ended);
    };
    driver.on("error", (error) => end(error.message));
    driver.on("exit", () => end(said.trim().split("\n").at(-1) || "it ended"));
    createInterface(driver.stdout).on("line", (text) => {
      const line = lineSchema.parse(JSON.parse(text));
      if ("ready" in line) return ready(line.ready);
      const job = waiting.get(line.id);
      waiting.delete(line.id);
      if ("fault" in line) job?.fail(failed(python, line.fault));
      else job?.done(line.cells);
    });
  });
  const warning = warnOf(isolation);
  if (warning !== null) note(warning);
  let last = 0;
  return {
    isolation,
    run: (job) =>
      new Promise((done, fail) => {
        if (ended !== null) return fail(ended);
        last += 1;
        waiting.set(last, { done, fail });
        driver.stdin.write(`${JSON.stringify({ id: last, ...job })}\n`);
      }),
    close: () => end(driver),
  };
}

function end(driver: ChildProcessWithoutNullStreams): Promise<void> {
  if (driver.exitCode !== null || driver.signalCode !== null) return Promise.resolve();
  return new Promise((done) => {
    driver.once("exit", () => done());
    driver.stdin.end();
  });
}

function failed(python: string, why: string): RecommenderError {
  return new RecommenderError(
    "TARGET_FAILED",
    `${python} runs no Python kernel: ${why}. Install one with: pip install jupyter_client ipykernel, and name that Python with --python.`,
  );
}
