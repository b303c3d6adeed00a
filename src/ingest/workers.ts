import { availableParallelism } from "node:os";
import type { Embedder } from "../embed/embedder.js";
import { RecommenderError } from "../errors.js";
import type { Labeller } from "../label/labeller.js";
import type { Content } from "../notebook/corpus/entry.js";
import type { Cell } from "../notebook/extract.js";
import { type Format, parseBytes } from "../notebook/formats.js";
import type { ParsedNotebook, Rejection } from "../notebook/notebook.js";
import type { StoredCell } from "../store/vector-store.js";
import { createPool, type Pool } from "../threads/pool.js";
import type { MemoryLimits, ThreadExit } from "../threads/thread.js";
import type { Handlers } from "../threads/thread-protocol.js";
import {
  createMakeCells,
  embedCells,
  type MakeNewCells,
  type MakeResult,
  prepareCell,
  type SkipReason,
} from "./make-cells.js";
import { type ReadNotebook, readContent } from "./read-content.js";

/** The heavy work on notebooks, on worker threads. */
export interface Workers {
  readonly size: number;
  /** Reads and parses a notebook. A notebook that kills its thread is rejected. */
  read(content: Content, signal?: AbortSignal): Promise<ReadNotebook>;
  /** Parses a notebook and keeps all of its cells, Markdown included. */
  parse(format: Format, bytes: Uint8Array, signal?: AbortSignal): Promise<ParsedNotebook>;
  /** Cleans, labels and embeds cells. Throws TOO_LARGE if a cell kills a thread. */
  readonly make: MakeNewCells;
  /** Starts the threads in advance. */
  warm(): Promise<void>;
  close(): Promise<void>;
}

interface WorkersDeps {
  readonly pool: Pick<Pool<IngestTasks>, "size" | "call" | "start" | "close">;
  readonly labeller: Labeller;
  readonly embedder: Embedder;
  /** Whether the threads also embed. An embedder with threads of its own runs on the main thread. */
  readonly embeds: boolean;
  /** Up to this many bytes are processed on the calling thread, which is cheaper than sending them; 0 for never. */
  readonly inline?: number;
}

/** Size of a job, about 10 ms of work: a large notebook uses all threads and blocks none for long. */
const CELLS_PER_JOB = 32;
const CODE_PER_JOB = 64 * 1024;
/** Maximum bytes of cells on the calling thread; making cells takes ten times as long as reading their notebook. */
const READ_LIMIT_FACTOR = 10;

export function createWorkers({ pool, labeller, embedder, embeds, inline = 0 }: WorkersDeps): Workers {
  const makeHere = createMakeCells({ labeller, embedder });
  const makeThere = async (cells: readonly CodeCell[], signal?: AbortSignal): Promise<Map<string, MakeResult>> => {
    if (embeds) return (await pool.call("make", cells, { signal }))!;
    const prepared = await pool.call("prepare", cells, { signal });
    const kept = [...prepared.values()].filter((cell) => typeof cell !== "string");
    const skipped = [...prepared].filter((entry): entry is [string, SkipReason] => typeof entry[1] === "string");
    return new Map<string, MakeResult>([...skipped, ...(await embedCells(kept, embedder))]);
  };
  return {
    size: pool.size,
    async read(content, signal) {
      if ("bytes" in content && content.bytes.length <= inline * READ_LIMIT_FACTOR) return readContent(content);
      return orRejected(pool.call("read", content, { signal }));
    },
    async parse(format, bytes, signal) {
      if (bytes.length <= inline * READ_LIMIT_FACTOR) return parseBytes(format, bytes);
      return orRejected(pool.call("parse", { format, bytes }, { signal }));
    },
    async make(cells, signal) {
      if (cells.reduce((sum, { code }) => sum + code.length, 0) <= inline) return makeHere(cells, signal);
      const parts = await Promise.all([...splitIntoJobs(cells)].map((part) => makeThere(part, signal)));
      return new Map(parts.flatMap((part) => [...part]));
    },
    async warm() {
      await pool.start();
    },
    close: pool.close,
  };
}

/** Runs everything on the calling thread. */
export function createInlineWorkers(parts: { readonly labeller: Labeller; readonly embedder: Embedder }): Workers {
  return {
    size: 1,
    read: async (content) => readContent(content),
    parse: async (format, bytes) => parseBytes(format, bytes),
    make: createMakeCells(parts),
    warm: async () => {},
    close: async () => {},
  };
}

/** Converts TOO_LARGE, the error of a killed thread, to a rejection. */
async function orRejected<T>(job: Promise<T>): Promise<T | { rejected: Rejection }> {
  try {
    return await job;
  } catch (error) {
    if (!(error instanceof RecommenderError) || error.code !== "TOO_LARGE") throw error;
    return { rejected: { kind: "too-large", reason: error.message } };
  }
}

type CodeCell = Pick<Cell, "id" | "code">;

/** The fields of a cell that the threads need. */
function* splitIntoJobs(cells: readonly CodeCell[]): Generator<CodeCell[]> {
  let job: CodeCell[] = [];
  let length = 0;
  for (const { id, code } of cells) {
    job.push({ id, code });
    length += code.length;
    if (job.length < CELLS_PER_JOB && length < CODE_PER_JOB) continue;
    yield job;
    [job, length] = [[], 0];
  }
  if (job.length > 0) yield job;
}

type TaskCell = Pick<Cell, "id" | "code">;

/** The tasks of the worker threads. Without an embedder of its own a thread leaves the vectors to the main thread. */
export function createTasks({
  labeller,
  embedder,
}: {
  readonly labeller: Labeller;
  readonly embedder: Embedder | null;
}) {
  const make = embedder === null ? null : createMakeCells({ labeller, embedder });
  return {
    read: (content: Content): ReadNotebook => readContent(content),
    parse: ({ format, bytes }: { format: Format; bytes: Uint8Array }): ParsedNotebook => parseBytes(format, bytes),
    make: (cells: readonly TaskCell[]): Promise<Map<string, MakeResult>> | undefined => make?.(cells),
    prepare: (cells: readonly TaskCell[]) =>
      new Map<string, StoredCell | SkipReason>(cells.map((cell) => [cell.id, prepareCell(cell, labeller)])),
  } satisfies Handlers;
}

export type IngestTasks = ReturnType<typeof createTasks>;

export interface WorkerPoolOptions {
  /** The module that the threads run. */
  readonly module: string;
  readonly data: unknown;
  readonly size?: number;
  readonly perThread?: number;
  /** A job that takes longer is rejected, and its thread replaced. */
  readonly maxMs?: number;
  readonly memory?: MemoryLimits;
}

/** Maximum number of threads; a single writer consumes their results, so more would only wait. */
const MAX_THREADS = 8;
/** Jobs per thread; enough to keep a thread busy while the main thread is. */
const JOBS_PER_THREAD = 3;
const MAX_MS = 120_000;
const MEMORY: MemoryLimits = { maxOldGenerationSizeMb: 1_536 };

/** Threads for untrusted notebooks: a job that kills its thread is rejected with TOO_LARGE, and other jobs continue. */
export function createWorkerPool<H extends Handlers>({
  module,
  data,
  size = Math.min(MAX_THREADS, availableParallelism()),
  perThread = JOBS_PER_THREAD,
  maxMs = MAX_MS,
  memory = MEMORY,
}: WorkerPoolOptions): Pool<H> {
  const explainExit = ({ timedOut, cause }: ThreadExit) => {
    if (timedOut) return new RecommenderError("TOO_LARGE", `it takes longer than ${maxMs / 1000} s`);
    const limit = `${memory.maxOldGenerationSizeMb} MB of memory`;
    const isFull = (cause as NodeJS.ErrnoException | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY";
    return new RecommenderError("TOO_LARGE", isFull ? `it needs more than ${limit}` : "its thread died", { cause });
  };
  return createPool<H>({ module, data, size, perThread, maxMs, memory, isDisposable: true, explainExit });
}
