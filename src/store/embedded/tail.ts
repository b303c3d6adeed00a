import { createBestRows } from "../best-rows.js";
import { offerNearest } from "./scan.js";

/** The rows that no graph covers yet, with their vectors as bytes side by side: they are few, and are scanned. */
export interface Tail {
  readonly length: number;
  add(row: number, bytes: Int8Array): void;
  /** The nearest `count` rows with their scores, best first; rows that have gone since are among them. */
  search(query: Int8Array, count: number): { row: number; score: number }[];
}

export function createTail(dimensions: number): Tail {
  let rows = new Uint32Array(256);
  let bytes = new Int8Array(256 * dimensions);
  let length = 0;

  return {
    get length() {
      return length;
    },
    add(row, vector) {
      if (length === rows.length) {
        const more = new Uint32Array(2 * length);
        const wider = new Int8Array(2 * length * dimensions);
        more.set(rows);
        wider.set(bytes);
        rows = more;
        bytes = wider;
      }
      rows[length] = row;
      bytes.set(vector, length * dimensions);
      length += 1;
    },
    search(query, count) {
      const best = createBestRows(count);
      offerNearest(best, bytes.subarray(0, length * dimensions), query, count, (at) => rows[at]!);
      return best.sorted();
    },
  };
}
