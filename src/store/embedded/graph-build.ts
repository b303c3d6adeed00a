import { join } from "node:path";
import Libsql from "libsql";
import { readVector } from "../stored-bytes.js";
import { type SnapshotFacts, seal } from "./snapshots.js";
import { GRAPH, loadUsearch } from "./usearch.js";

/** Work for the graph thread: build one part of the graph, from scratch or on top of a base. */
export interface GraphTask {
  readonly folder: string;
  readonly database: string;
  readonly dimensions: number;
  /** The part covers the rows after this one, up to `facts.row`. */
  readonly after: number;
  /** The part to extend, and its last row. */
  readonly base: { readonly file: string; readonly row: number } | null;
  readonly target: string;
  readonly facts: SnapshotFacts;
  readonly threads: number;
}

/** Rows per call to usearch; progress is reported in between. */
const SLICE = 1_024;

/** Builds a part of the graph and writes it, sealed. Runs in its own thread, so it may block. */
export function buildPart(task: GraphTask, onProgress: (rows: number) => void): void {
  const { dimensions, facts } = task;
  const usearch = loadUsearch();
  if (usearch === null) throw new Error("usearch has no build for this machine");
  const index = new usearch.Index({ dimensions, ...GRAPH });
  if (task.base !== null) index.load(join(task.folder, task.base.file));
  const database = new Libsql(task.database, { timeout: 10_000 });
  try {
    const next = database
      .prepare<[number, number]>(
        `select row, cast(vector as blob) from vectors where row > ? and row <= ? order by row limit ${SLICE}`,
      )
      .raw();
    type Row = [number, Buffer];
    let last = task.base?.row ?? task.after;
    for (let rows = next.all(last, facts.row) as Row[]; rows.length > 0; rows = next.all(last, facts.row) as Row[]) {
      add(index, rows, dimensions, task.threads);
      last = rows.at(-1)![0];
      onProgress(rows.length);
    }
  } finally {
    database.close();
  }
  index.save(task.target);
  seal(task.target, facts);
}

/** Leaves out a damaged vector; the damage is reported when the vector is read for its score. */
function add(
  index: { add(keys: BigUint64Array, vectors: Float32Array, threads: number): void },
  rows: readonly (readonly [number, Buffer])[],
  dimensions: number,
  threads: number,
): void {
  const good = rows.flatMap(([row, blob]) => {
    const vector = readVector(blob, dimensions);
    return vector === null ? [] : [{ row, vector }];
  });
  const vectors = new Float32Array(good.length * dimensions);
  for (const [at, { vector }] of good.entries()) vectors.set(vector, at * dimensions);
  const keys = BigUint64Array.from(good, ({ row }) => BigInt(row));
  if (keys.length > 0) index.add(keys, vectors, threads);
}
