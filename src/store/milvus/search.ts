import { cosine } from "../../embed/embedder.js";
import type { Hit, LexicalQuery, PoolQuery, SearchQuery } from "../vector-store.js";
import type { Connection } from "./connection.js";
import { both, isNotIn, labelExpression, notebookExpression } from "./expression.js";
import type { Generation } from "./journal.js";
import { type CellRow, FOUND_FIELDS, type FoundRow, fromSketch } from "./rows.js";
import { type Level, type Tables, WINDOW } from "./tables.js";

/** What a search found: rows of cells, and whether the server had more copies of the last cell. */
export interface Findings {
  add(rows: readonly FoundRow[], isComplete: (content: string, copies: number) => boolean): void;
}

interface SearchDeps {
  readonly connection: Connection;
  readonly tables: Tables;
}

type Scored<Row> = Row & { readonly score: number };

interface Search {
  readonly generation: Generation;
  readonly vector: Float32Array;
  readonly filter: string;
  readonly level: Level;
  /** Told of all rows, with all that is needed of them. */
  readonly findings: Findings | null;
}

/** Milvus' scores are single precision: rows closer than this count as equal. */
const TIE = 1.2e-7;
const OVER_FETCH = 16;
const MIN_EF = 256;
/** Contents that one expression can leave out: half a megabyte. */
const MAX_LEFT_OUT = 8_192;
/** What is read if a search comes back short. Milvus does so for some seconds after loading. */
const SCAN_BYTES = 32_000_000;
/** A weight is given by repeating the word, in quarters: the server's BM25 counts the words of a query. */
const REPEATED = 4;
/** The usual constant of rank fusion; the two ranks can be recovered from the sum. */
const FUSION = 60;
/** How many more candidates than the pool size both searches fetch, because cells have copies. */
const POOL_COPIES = 14;

/** Searches by vector and by words. All copies of a cell have one score, and count once. */
export function createSearch({ connection: { call }, tables }: SearchDeps) {
  const fieldsFor = (findings: Findings | null) => (findings === null ? ["id", "content"] : FOUND_FIELDS);

  const nearest = async (search: Search, leftOut: readonly string[], limit: number) => {
    const { generation, vector, filter, level, findings } = search;
    const { results } = await call("search", (client, timeout) =>
      client.search({
        collection_name: generation.cells,
        anns_field: "vector",
        data: Array.from(vector),
        filter: leftOut.length === 0 ? filter : both(filter, isNotIn("content", leftOut)),
        limit,
        params: generation.exact ? {} : { ef: Math.max(MIN_EF, 2 * limit) },
        output_fields: fieldsFor(findings),
        consistency_level: level as never,
        timeout,
      }),
    );
    return results as unknown as Scored<FoundRow>[];
  };

  /** The k best cells; as many rows more as it takes to see copies and ties through, which `isRough` does not ask for. */
  const best = async (search: Search, k: number, enough: number, isRough: boolean): Promise<Hit[]> => {
    const hits = new Map<string, number>();
    let seen = 0;
    for (let limit = Math.min(WINDOW, k + OVER_FETCH); ; limit = Math.min(WINDOW, 4 * limit)) {
      const rows = await nearest(search, [...hits.keys()], limit);
      seen += rows.length;
      for (const { content, score } of rows) if (!hits.has(content)) hits.set(content, score);
      const last = rows.length < limit ? Number.NEGATIVE_INFINITY : rows.at(-1)!.score;
      const scores = new Map(rows.map(({ content, score }) => [content, score]));
      search.findings?.add(rows, (content) => scores.get(content)! > last + TIE);
      if (rows.length < limit) {
        const isShort =
          hits.size < enough && (await tables.count(search.generation.cells, search.filter, search.level)) > seen;
        return isShort ? scan(search, k) : order(hits, k);
      }
      const isEnough = hits.size >= enough && (isRough || order(hits, k)[k - 1]!.score > last + TIE);
      if (isEnough || hits.size > MAX_LEFT_OUT) return order(hits, k);
    }
  };

  /** Reads and scores cells that pass, as many as a bounded answer holds. */
  const scan = async ({ generation, vector, filter, level, findings }: Search, k: number): Promise<Hit[]> => {
    const limit = Math.max(1, Math.min(WINDOW, Math.floor(SCAN_BYTES / (4 * vector.length + 2_000))));
    const fields = [...fieldsFor(findings), "vector"] as (keyof CellRow & string)[];
    const rows = await tables.query<CellRow>(generation.cells, filter, limit, { fields, level });
    findings?.add(rows, () => rows.length < limit);
    return order(new Map(rows.map((row) => [row.content, cosine(vector, Float32Array.from(row.vector))])), k);
  };

  const byWords = async (
    generation: Generation,
    text: string,
    {
      filter,
      limit,
      findings,
    }: { readonly filter: string; readonly limit: number; readonly findings: Findings | null },
  ) => {
    const { results } = await call("search by words", (client, timeout) =>
      client.search({
        collection_name: generation.cells,
        anns_field: "bm25",
        data: text as never,
        filter,
        limit,
        output_fields: fieldsFor(findings),
        consistency_level: "Bounded" as never,
        timeout,
      }),
    );
    const rows = results as unknown as Scored<FoundRow>[];
    findings?.add(
      rows,
      (content, copies) => rows.length < limit || rows.slice(0, limit - copies).some((row) => row.content === content),
    );
    return rows;
  };

  /** One call for both: the server fuses the ranks, and they are recovered from the result. */
  const byBoth = async (
    { generation, vector, filter, level, findings }: Search,
    text: string,
    limit: number,
  ): Promise<{ near: string[]; worded: string[] }> => {
    const { results } = await call("search", (client, timeout) =>
      client.hybridSearch({
        collection_name: generation.cells,
        data: [
          {
            anns_field: "vector",
            data: Array.from(vector),
            limit,
            params: generation.exact ? {} : { ef: Math.max(MIN_EF, 2 * limit) },
            expr: filter,
          },
          { anns_field: "bm25", data: text as never, limit, params: {}, expr: filter },
        ],
        rerank: { strategy: "rrf", params: { k: FUSION } },
        limit: 2 * limit,
        filter,
        output_fields: FOUND_FIELDS,
        consistency_level: level as never,
        timeout,
      } as never),
    );
    const rows = results as unknown as Scored<FoundRow>[];
    const ranked = decodeRanks(
      rows.map((row) => ({ row, fused: row.score, score: cosine(vector, fromSketch(row.sketch)) })),
      { limit, constant: FUSION },
    );
    const inOrder = (rank: "near" | "worded") =>
      distinct(
        ranked
          .filter((each) => each[rank] !== null)
          .sort((one, other) => one[rank]! - other[rank]!)
          .map(({ row }) => row.content),
      );
    // All copies of a cell have one score in each search, so that they come one after another, and are cut off only at the end.
    const first = new Map<string, number>();
    for (const { row, near, worded } of ranked) {
      const rank = Math.min(near ?? limit, worded ?? limit);
      first.set(row.content, Math.min(first.get(row.content) ?? limit, rank));
    }
    findings?.add(rows, (content, copies) => first.get(content)! + copies <= limit);
    return { near: inOrder("near"), worded: inOrder("worded") };
  };

  return {
    async search(generation: Generation, query: SearchQuery, findings: Findings | null): Promise<Hit[]> {
      const { vector, k, strong = false, rough = false } = query;
      const filter = filterOf(query);
      if (filter === null || k < 1) return [];
      const level = strong ? "Strong" : "Bounded";
      return best({ generation, vector, filter, level, findings }, k, k, rough);
    },

    /** The server's own BM25 over the subwords of the code; null if it has none. */
    async lexical(generation: Generation, query: LexicalQuery, findings: Findings | null): Promise<Hit[] | null> {
      if (!generation.words) return null;
      const filter = filterOf(query);
      const text = toQuery(query.words);
      if (filter === null || query.k < 1 || text === "") return [];
      for (let limit = query.k; ; limit *= 4) {
        const rows = await byWords(generation, text, { filter, limit: Math.min(limit, WINDOW), findings });
        const hits = new Map<string, number>();
        for (const { content, score } of rows) if (!hits.has(content)) hits.set(content, score / REPEATED);
        // Copies of a few cells can fill an answer.
        const isEnough = 2 * hits.size >= query.k || rows.length < limit || limit >= WINDOW;
        if (isEnough) return order(hits, query.k);
      }
    },

    /** Candidates of both searches, with all that is needed of them, in one call if the server has both. */
    async pool(generation: Generation, query: PoolQuery, findings: Findings): Promise<readonly string[]> {
      const filter = filterOf(query);
      if (filter === null) return [];
      const { vector, size } = query;
      const text = generation.words ? toQuery(query.words) : "";
      const search = { generation, filter, level: "Bounded" as const, findings };
      if (vector === null) {
        if (text === "") return [];
        const rows = await byWords(generation, text, { filter, limit: size + POOL_COPIES, findings });
        return distinct(rows.map(({ content }) => content)).slice(0, size);
      }
      if (text === "") {
        const k = generation.words ? size : Math.max(query.sizeWithoutWords, size);
        return (await best({ ...search, vector }, k, Math.min(size, k), true)).map(({ id }) => id);
      }
      for (let limit = Math.min(WINDOW, size + POOL_COPIES); ; limit = Math.min(WINDOW, 4 * limit)) {
        const { near, worded } = await byBoth({ ...search, vector }, text, limit);
        const isFull = (found: readonly string[]) => 2 * found.length >= size;
        // Copies of a few cells can fill an answer; where there is nothing more, there is nothing to ask for.
        if (isFull(near) || near.length + worded.length < limit / 2 || limit >= size * 8) {
          return distinct([...near.slice(0, size), ...worded.slice(0, size)]);
        }
      }
    },
  };
}

function filterOf({ filter, notebooks }: Pick<SearchQuery, "filter" | "notebooks">): string | null {
  const [labels, among] = [labelExpression(filter), notebookExpression(notebooks)];
  return labels === null || among === null ? null : both(labels, among);
}

/** Scores closer than a tie are equal, and equal ones go to the smaller id. */
function order(hits: ReadonlyMap<string, number>, k: number): Hit[] {
  const sorted = [...hits].map(([id, score]) => ({ id, score })).sort((one, other) => other.score - one.score);
  for (let from = 0; from < sorted.length && from < k; ) {
    let to = from + 1;
    while (to < sorted.length && sorted[to - 1]!.score - sorted[to]!.score <= TIE) to += 1;
    const tied = sorted.slice(from, to).sort((one, other) => (one.id < other.id ? -1 : 1));
    sorted.splice(from, tied.length, ...tied);
    from = to;
  }
  return sorted.slice(0, k).map(({ id, score }) => ({ id, score: Math.max(-1, Math.min(1, score)) }));
}

const distinct = (ids: Iterable<string>): string[] => [...new Set(ids)];

function toQuery(words: ReadonlyMap<string, number>): string {
  return [...words].flatMap(([word, weight]) => Array<string>(Math.round(REPEATED * weight)).fill(word)).join(" ");
}

/** A row that a fusion of two rankings returned, with its score in one of them if it is known. */
interface Fused {
  /** The sum of 1 / (constant + rank) over the rankings that hold it. */
  readonly fused: number;
  /** About its score in the first ranking. */
  readonly score: number;
}

/** Its ranks from 1 on; null in a ranking that does not hold it. */
export interface Ranks {
  readonly near: number | null;
  readonly worded: number | null;
}

/** The sums come in single precision. */
const PRECISION = 3e-7;

/**
 * The ranks in both of two rankings of at most `limit` rows, from the sums that a server returns for both together: a sum has few pairs
 * of ranks, and the order by score says which of the two is the first one's. The first ranking holds the best rows by score.
 */
export function decodeRanks<Row extends Fused>(
  rows: readonly Row[],
  { limit, constant }: { readonly limit: number; readonly constant: number },
): (Row & Ranks)[] {
  const byScore = [...rows].sort((one, other) => other.score - one.score);
  return byScore.map((row, at) => {
    const expected = at + 1;
    const options = pairsOf(row.fused, limit, constant);
    const distance = ({ near }: Ranks) => (near === null ? Math.max(0, limit - at) : Math.abs(near - expected));
    const [first = { near: null, worded: null }] = options.sort((one, other) => distance(one) - distance(other));
    return { ...row, ...first };
  });
}

function pairsOf(fused: number, limit: number, constant: number): Ranks[] {
  const pairs: Ranks[] = [];
  const alone = rankOf(fused, limit, constant);
  if (alone !== null) pairs.push({ near: alone, worded: null }, { near: null, worded: alone });
  for (let near = 1; near <= limit; near += 1) {
    const rest = fused - 1 / (constant + near);
    const worded = rest > PRECISION ? rankOf(rest, limit, constant, fused) : null;
    if (worded !== null) pairs.push({ near, worded });
  }
  return pairs;
}

/** The whole rank whose share this is, if there is one. */
function rankOf(share: number, limit: number, constant: number, scale = share): number | null {
  const rank = Math.round(1 / share - constant);
  if (rank < 1 || rank > limit) return null;
  return Math.abs(1 / (constant + rank) - share) <= PRECISION * Math.max(scale, 1e-3) ? rank : null;
}
