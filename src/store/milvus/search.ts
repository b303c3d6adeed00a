import { cosine } from "../../embed/embedder.js";
import type { Hit, SearchQuery } from "../vector-store.js";
import type { createAmongNotebooks } from "./among-notebooks.js";
import type { CellCache } from "./cell-cache.js";
import type { Connection } from "./connection.js";
import { both, labelExpression } from "./expression.js";
import type { Generation } from "./generations.js";
import type { Found, HiddenAmong } from "./hidden.js";
import type { Journal } from "./journal.js";
import { CELL_FIELDS, type CellRow, toStoredCell } from "./rows.js";
import { type Level, type Tables, WINDOW } from "./tables.js";

export interface SearchDeps {
  readonly connection: Connection;
  readonly tables: Tables;
  readonly journal: Journal;
  readonly hiddenAmong: HiddenAmong;
  readonly cache: CellCache;
  readonly amongNotebooks: ReturnType<typeof createAmongNotebooks>;
}

interface Search {
  readonly generation: Generation;
  readonly vector: Float32Array;
  readonly k: number;
  readonly filter: string;
  readonly level: Level;
}

type VectorRow = Pick<CellRow, "id" | "vector" | "made">;

/** Milvus' scores are single precision, at most 1e-7 off; cells closer than this are told apart by their exact ones. */
const TIE = 1e-6;
const OVER_FETCH = 32;
const LEAST_EF = 256;
const SCAN_BYTES = 8_000_000;
const FIELDS = ["id", "vector", "made"] as const;
/** Whoever searches reads the cells next: one answer with both comes sooner than two. */
const WHOLE = [...new Set([...CELL_FIELDS, ...FIELDS])];

/** Candidates by Milvus' score, hits by the exact cosine of the stored vectors; cells without an occurrence are left out. */
export function createSearch({
  connection: { call },
  tables,
  journal,
  hiddenAmong,
  cache,
  amongNotebooks,
}: SearchDeps) {
  return async (generation: Generation, query: SearchQuery): Promise<Hit[]> => {
    const { vector, k, filter, notebooks, strong = false } = query;
    const expression = labelExpression(filter);
    if (expression === null || k < 1) return [];
    const level = strong ? "Strong" : "Bounded";
    const find = (count: number, among = "") =>
      shownBest({ generation, vector, filter: both(expression, among), level }, count);
    return notebooks === undefined ? find(k) : amongNotebooks(generation, { k, notebooks, level }, find);
  };

  async function shownBest(asked: Omit<Search, "k">, k: number): Promise<Hit[]> {
    const { generation, level } = asked;
    // Hidden cells are few; where some were among the best, as many more are asked for.
    for (let wanted = k; ; ) {
      const search: Search = { ...asked, k: wanted };
      const [hits, under] = await Promise.all([best(search), journal.underWay(level)]);
      const hidden = await hiddenAmong(generation, hits, under, level);
      const shown = hits.filter(({ id }) => !hidden.has(id));
      if (shown.length >= k || hits.length < wanted) return shown.slice(0, k).map(({ id, score }) => ({ id, score }));
      wanted = k + hidden.size;
    }
  }

  async function best(search: Search): Promise<Found[]> {
    const { generation, vector, k } = search;
    if (vector.every((value) => value === 0)) return first(search);
    const found = await candidates(search);
    if (found === null) return scan(search);
    const known = cache.found(generation.cells, found);
    const hits = [...known].map(([id, { made, vector: stored }]) => ({ id, made, score: cosine(vector, stored) }));
    const unknown = found.filter((id) => !known.has(id));
    if (unknown.length === 0) return order(hits, k);
    // With the vectors in the answer of the search itself it would take 200 ms; read by id they take a few.
    const rows = await tables.byId<CellRow>(generation.cells, unknown, WHOLE);
    for (const row of rows) cache.putCell(generation.cells, toStoredCell(row));
    return order([...hits, ...scored(search, rows)], k);
  }

  /** What may be among the k best; null where the answer came back short, or was cut off among equals. */
  async function candidates(search: Search): Promise<string[] | null> {
    for (let limit = search.k + OVER_FETCH; limit <= WINDOW; limit *= 4) {
      const found = await nearest(search, limit);
      if (found.length < search.k) return (await isShort(search, found.length)) ? null : found.map(({ id }) => id);
      const least = found[search.k - 1]!.score - TIE;
      if (found.length < limit || found.at(-1)!.score < least) {
        return found.filter(({ score }) => score >= least).map(({ id }) => id);
      }
    }
    return null;
  }

  async function nearest({ generation, vector, filter, level }: Search, limit: number): Promise<Hit[]> {
    const { results } = await call("search", (client, timeout) =>
      client.search({
        collection_name: generation.cells,
        anns_field: "vector",
        data: Array.from(vector),
        filter,
        limit,
        params: generation.exact ? {} : { ef: Math.max(LEAST_EF, 2 * limit) },
        output_fields: ["id"],
        consistency_level: level as never,
        timeout,
      }),
    );
    return results as unknown as Hit[];
  }

  async function isShort({ generation, k, filter, level }: Search, found: number): Promise<boolean> {
    return found < Math.min(k, await tables.count(generation.cells, filter, level));
  }

  /** Reads and scores every cell that passes. */
  async function scan(search: Search): Promise<Found[]> {
    const { generation, filter, k, level, vector } = search;
    const size = Math.max(1, Math.min(WINDOW, Math.floor(SCAN_BYTES / (4 * vector.length))));
    let hits: Found[] = [];
    for await (const page of tables.pages<VectorRow>(generation.cells, filter, size, { fields: FIELDS, level })) {
      hits = order([...hits, ...scored(search, page)], k);
    }
    return hits;
  }

  /** A query without a direction is equally far from all cells. */
  async function first({ generation, filter, k, level }: Search): Promise<Found[]> {
    const hits: Found[] = [];
    const selection = { fields: ["id", "made"] as const, level };
    for await (const page of tables.pages<VectorRow>(generation.cells, filter, Math.min(k, WINDOW), selection)) {
      hits.push(...page.map(({ id, made }) => ({ id, made, score: 0 })));
      if (hits.length >= k) break;
    }
    return hits.slice(0, k);
  }

  function scored({ vector, generation }: Search, rows: readonly VectorRow[]): Found[] {
    return rows.map(({ id, made, vector: stored }) => {
      const other = Float32Array.from(stored);
      cache.put(generation.cells, id, { vector: other, made });
      return { id, made, score: cosine(vector, other) };
    });
  }
}

function order(hits: readonly Found[], k: number): Found[] {
  return [...hits].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)).slice(0, k);
}
