import { cosine } from "../cosine.js";
import type { Hit, SearchQuery } from "../vector-store.js";
import type { Connection } from "./connection.js";
import { labelExpression } from "./expression.js";
import type { Generation } from "./generations.js";
import type { CellRow } from "./rows.js";
import { type Level, type Tables, WINDOW } from "./tables.js";

interface Search {
  readonly cells: string;
  readonly exact: boolean;
  readonly vector: Float32Array;
  readonly k: number;
  readonly filter: string;
  readonly level: Level;
}

type VectorRow = Pick<CellRow, "id" | "vector">;

/** Milvus' scores are single precision, at most 1e-7 off; cells closer than this are told apart by their exact ones. */
const TIE = 1e-6;
const OVER_FETCH = 32;
const LEAST_EF = 256;
const SCAN_BYTES = 8_000_000;

/** Candidates by Milvus' score, hits by the exact cosine of the stored vectors. */
export function createSearch({ call }: Connection, tables: Tables) {
  return async ({ cells, exact }: Generation, { vector, k, filter, strong = false }: SearchQuery): Promise<Hit[]> => {
    const expression = labelExpression(filter);
    if (expression === null || k < 1) return [];
    const search: Search = { cells, exact, vector, k, filter: expression, level: strong ? "Strong" : "Bounded" };
    if (vector.every((value) => value === 0)) return first(search);
    const found = await candidates(search);
    if (found === null) return scan(search);
    // With the vectors in the answer of the search itself it would take 200 ms; read by id they take a few.
    return best(scored(search, await tables.byId<VectorRow>(cells, found, ["id", "vector"])), k);
  };

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

  async function nearest({ cells, exact, vector, filter, level }: Search, limit: number): Promise<Hit[]> {
    const { results } = await call("search", (client, timeout) =>
      client.search({
        collection_name: cells,
        data: Array.from(vector),
        filter,
        limit,
        params: exact ? {} : { ef: Math.max(LEAST_EF, 2 * limit) },
        output_fields: ["id"],
        consistency_level: level as never,
        timeout,
      }),
    );
    return results as unknown as Hit[];
  }

  async function isShort({ cells, k, filter, level }: Search, found: number): Promise<boolean> {
    return found < Math.min(k, await tables.count(cells, filter, level));
  }

  /** Reads and scores every cell that passes. */
  async function scan(search: Search): Promise<Hit[]> {
    const { cells, filter, k, level, vector } = search;
    const size = Math.max(1, Math.min(WINDOW, Math.floor(SCAN_BYTES / (4 * vector.length))));
    let hits: Hit[] = [];
    for await (const page of tables.pages<VectorRow>(cells, filter, size, { fields: ["id", "vector"], level })) {
      hits = best([...hits, ...scored(search, page)], k);
    }
    return hits;
  }

  /** A query without a direction is equally far from all cells. */
  async function first({ cells, filter, k, level }: Search): Promise<Hit[]> {
    const hits: Hit[] = [];
    for await (const page of tables.pages<VectorRow>(cells, filter, Math.min(k, WINDOW), { fields: ["id"], level })) {
      hits.push(...page.map(({ id }) => ({ id, score: 0 })));
      if (hits.length >= k) break;
    }
    return hits.slice(0, k);
  }
}

function scored({ vector }: Search, rows: readonly VectorRow[]): Hit[] {
  return rows.map((row) => ({ id: row.id, score: cosine(vector, Float32Array.from(row.vector)) }));
}

function best(hits: readonly Hit[], k: number): Hit[] {
  return [...hits].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)).slice(0, k);
}
