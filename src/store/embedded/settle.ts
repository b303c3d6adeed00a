import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { assetPath } from "../../config.js";
import { createPool } from "../../threads/pool.js";
import type { SettleOptions } from "../vector-store.js";
import { CELLS } from "./database.js";
import { GRAPH_FORMAT, type GraphPart, viewPart } from "./graph.js";
import type { GraphTask } from "./graph-build.js";
import type { GraphHandlers } from "./graph-worker.js";
import { hasProfiles } from "./profile-arena.js";
import { CELLS_FORMAT, type Loaded, type ResidentCells, saveCells } from "./resident-cells.js";
import type { ResidentWords } from "./resident-words.js";
import type { SnapshotFacts, Snapshots } from "./snapshots.js";
import type { IndexState } from "./state.js";
import { loadUsearch } from "./usearch.js";

export interface SettleLimits {
  /** Rows of one part of the graph: a part is rewritten as a whole when it grows. */
  readonly partRows: number;
  /** Minimum cells for derived files; a smaller index loads faster from the database. */
  readonly minSavedRows: number;
  /** Derived files are rewritten when opening would have to read more than this share of the rows from the database. */
  readonly maxBehindShare: number;
  /**
   * Maximum ratio of all rows of a graph part, including removed rows, to the rows that still exist. Above it, the part
   * is rebuilt.
   */
  readonly maxDeadRatio: number;
  /** Threads that build a part of the graph. With one thread, the same rows always make the same graph. */
  readonly graphThreads: number;
}

export const SETTLE_LIMITS: SettleLimits = {
  partRows: 500_000,
  minSavedRows: 2_000,
  maxBehindShare: 0.02,
  maxDeadRatio: 1.5,
  graphThreads: availableParallelism(),
};

interface SettleDeps {
  readonly folder: string;
  readonly cells: ResidentCells;
  readonly words: ResidentWords;
  readonly snapshots: Snapshots;
  readonly limits: SettleLimits;
  /** Threads that build the graph. */
  readonly threads: number;
  /** Whether a search will follow; if not, words and cells are dropped from memory before the graph is built. */
  readonly isSearched: boolean;
  /** Number of stored cells. */
  count(): number;
}

/** Rewrites derived files that are far behind the database, so that the next process opens quickly. */
export async function settle(deps: SettleDeps, { onProgress, signal }: SettleOptions): Promise<void> {
  const { cells, words, snapshots, limits, isSearched } = deps;
  snapshots.sweep();
  const isWorth = (behind: number, size: number) =>
    size >= limits.minSavedRows && behind > limits.maxBehindShare * size;
  const count = deps.count();
  await words.save(isWorth);
  // Saved before the cells are loaded, because both together would need as much memory as the graph.
  if (!isSearched) words.forget();
  onProgress?.({ phase: "words", done: count, total: count });
  const plan = await saveAndPlan(deps, isWorth, signal);
  if (plan === null) return;
  // The graph is built from the database, so the cells can be dropped from memory.
  if (!isSearched) cells.forget();
  await growGraph(deps, plan, { ...(onProgress && { onProgress }), ...(signal && { signal }) });
}

/** The rows to add to the graph. */
interface GraphPlan {
  readonly state: IndexState;
  readonly commits: number;
  readonly dimensions: number;
  /** The parts to keep. */
  readonly parts: GraphPart[];
  /** The rows after these parts, in ascending order. */
  readonly rows: readonly number[];
}

/** Saves the cells if worthwhile, and plans the missing parts of the graph; null if none is missing. */
async function saveAndPlan(
  { cells, snapshots, limits }: SettleDeps,
  isWorth: (behind: number, size: number) => boolean,
  signal: AbortSignal | undefined,
): Promise<GraphPlan | null> {
  const loaded = await cells.current();
  const { state, table, cursor } = loaded;
  const { size, dimensions } = table;
  if (table.precision === "float" || loadUsearch() === null) return null;
  signal?.throwIfAborted();
  const saved = snapshots.find("cells", CELLS_FORMAT, state).at(-1)?.facts.row ?? 0;
  if (isWorth(cursor.row - saved, size) || !hasProfiles(snapshots, state)) await saveCells(snapshots, state, loaded);
  const parts = withoutDead(loaded, limits.maxDeadRatio);
  const rows = table.rowsAfter(parts.at(-1)?.row ?? 0);
  if (rows.length === 0 || rows.length <= limits.maxBehindShare * (size - rows.length)) return null;
  return { state, commits: cursor.commits, dimensions, parts, rows };
}

/** Builds the graph part by part until it covers everything; each part is searched as soon as it exists. */
async function growGraph(deps: SettleDeps, plan: GraphPlan, { onProgress, signal }: SettleOptions): Promise<void> {
  const { folder, cells, snapshots, limits, threads } = deps;
  const { state, commits, dimensions, rows } = plan;
  let { parts } = plan;
  const total = rows.length;
  let done = 0;
  while (done < total) {
    const last = parts.at(-1);
    const base = last !== undefined && last.index.size() < limits.partRows ? last : null;
    const room = limits.partRows - (base?.index.size() ?? 0);
    const end = Math.min(total, done + room);
    const after = base?.after ?? last?.row ?? 0;
    const facts: SnapshotFacts = {
      format: GRAPH_FORMAT,
      index: state.index,
      generation: state.generation,
      commits,
      row: rows[end - 1]!,
      removal: 0,
      parts: { after, dimensions },
    };
    const target = snapshots.partOf("graph", facts);
    const before = done;
    const tell = (more: number) => {
      done += more;
      onProgress?.({ phase: "graph", done: Math.min(done, total), total });
    };
    const task = { folder, database: join(folder, CELLS), dimensions, after, target, facts, threads };
    try {
      await buildGraph({ ...task, base: base && { file: base.file, row: base.row } }, tell, signal);
    } catch (error) {
      rmSync(target, { force: true });
      throw error;
    }
    done = end;
    const kept = base === null ? parts : parts.slice(0, -1);
    const file = snapshots.replace(
      "graph",
      facts,
      kept.map((part) => part.file),
    );
    const index = viewPart(snapshots.pathOf(file), dimensions);
    if (index === null) return;
    parts = [...kept, { file, after, row: facts.row, index }];
    cells.replaceParts(state.generation, parts);
    onProgress?.({ phase: "graph", done, total });
    if (before === done) return;
  }
}

/** Builds a part of the graph in another thread. If aborted, only an unfinished file remains. */
async function buildGraph(task: GraphTask, onReport: (rows: number) => void, signal?: AbortSignal): Promise<void> {
  const module = assetPath("dist/src/store/embedded/graph-worker.js");
  // Building is one synchronous call that cannot be cancelled, so the thread is terminated.
  const pool = createPool<GraphHandlers>({ module, size: 1, perThread: 1, isDisposable: true });
  try {
    await pool.call("build", task, { onReport, signal });
  } finally {
    await pool.close();
  }
}

/** The parts before the first one with mostly removed rows; that one and all later ones are rebuilt. */
function withoutDead({ table, parts }: Loaded, maxDeadRatio: number): GraphPart[] {
  const rows = table.rowsAfter(0);
  const first = parts.findIndex(({ after, row, index }) => {
    const living = rows.reduce((count, each) => (each > after && each <= row ? count + 1 : count), 0);
    return index.size() > maxDeadRatio * living;
  });
  return first === -1 ? [...parts] : parts.slice(0, first);
}
