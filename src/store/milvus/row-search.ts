import { cosine } from "../../embed/embedder.js";
import { keepTies } from "../best-rows.js";
import {
  type CandidateIds,
  type Hit,
  type LexicalQuery,
  type PoolQuery,
  passesFilter,
  type SearchQuery,
} from "../vector-store.js";
import type { Connection } from "./connection.js";
import { both, isNotIn, labelExpression, notebookExpression } from "./expression.js";
import type { Generation } from "./journal.js";
import { ANSWER, type CellRow, type Fields, type FoundRow, groupBy, toFound, vectorOf } from "./rows.js";
import { createBatcher, type Level, type Tables, WINDOW } from "./tables.js";

/** The rows found by searches, and the contents of which all rows were found. */
export interface Findings {
  add(rows: readonly FoundRow[], isComplete: (row: FoundRow) => boolean): void;
}

interface SearchDeps {
  readonly connection: Connection;
  readonly tables: Tables;
}

type Scored = FoundRow & { readonly score: number };

interface Search {
  readonly generation: Generation;
  readonly filter: string;
  readonly level: Level;
  /** Receives all found rows with all fields. */
  readonly findings: Findings | null;
}

interface VectorSearch extends Search {
  readonly vector: Float32Array;
}

interface PoolSearch extends VectorSearch {
  /** The words of the candidates. */
  readonly text: string;
  /** A second search by words; null if no line is being typed. */
  readonly line: { readonly text: string; readonly filter: string } | null;
  /** Whether a row passes the first filter. */
  readonly passes: (row: FoundRow) => boolean;
}

/** The results of the searches of a pool. */
interface PoolLists {
  readonly near: FirstRows;
  readonly words: FirstRows;
  /** Cells that only the search by the words of the line found, best first. */
  readonly line: readonly Hit[];
}

/** Scores closer than this count as equal, because Milvus computes in single precision. */
const TIE = 1.2e-7;
/** Maximum error of cosines of quantized vectors. */
const QUANTIZATION_ERROR = 0.005;
const OVER_FETCH = 16;
const MIN_EF = 256;
/** Maximum number of contents that one expression excludes; half a megabyte. */
const MAX_EXCLUDED = 8_192;
/** Number of rows read if a search returns too few, which Milvus does for some seconds after loading. */
const SCAN_BYTES = 32_000_000;
/**
 * A word is repeated to express its weight, because the server's BM25 counts the words of a query. One repetition is a
 * quarter.
 */
const REPEATED = 4;
/** Factor by which the searches fetch more rows than the pool needs cells, because cells have copies. */
const POOL_COPIES = 2;
/** Factor by which a search without the label filter fetches more rows, so that enough of them pass it. */
const WIDER = 1.5;
/** Number of rows found by the words of the line that is being typed. */
const LINE_ROWS = 160;
/**
 * Weight of the search by the words of the line. It is so small that a score tells whether the other search by words
 * found the row, too.
 */
const FAINT = 1e-9;
const MAX_FAINT = 1e3 * FAINT;

/** Searches by vector and by words. Copies of a cell have the same score and count once. */
export function createSearch({ connection: { call }, tables }: SearchDeps) {
  const fieldsFor = (findings: Findings | null): Fields<CellRow> => (findings === null ? ["content"] : ANSWER);
  const parse = (results: unknown, findings: Findings | null) =>
    findings === null
      ? (results as Scored[])
      : (results as (CellRow & { score: number })[]).map((row) => toFound(row) as Scored);
  const graphParams = ({ exact }: Generation, limit: number) => (exact ? {} : { ef: Math.max(MIN_EF, 2 * limit) });

  /**
   * Searches by vector. Searches of one turn of the event loop that differ only in their vectors are sent in one call.
   */
  const nearest = createBatcher((searches: readonly (VectorSearch & { readonly limit: number })[]) => {
    const groups = groupBy(searches, ({ generation, filter, level, limit, findings }) =>
      [generation.cells, filter, level, limit, findings === null].join(),
    );
    const answers = new Map<object, Promise<Scored[]>>();
    for (const group of groups.values()) {
      const { generation, filter, level, limit, findings } = group[0]!;
      const answer = call("search", (client, timeout) =>
        client.search({
          collection_name: generation.cells,
          anns_field: "vector",
          data: group.map(({ vector }) => Array.from(vector)),
          filter,
          limit,
          params: graphParams(generation, limit),
          output_fields: [...fieldsFor(findings)],
          consistency_level: level as never,
          timeout,
        }),
      );
      for (const [at, search] of group.entries())
        answers.set(
          search,
          // For a single vector, the client returns its results directly instead of a list with one list.
          answer.then(({ results }) =>
            parse(group.length === 1 ? results : ((results as unknown[])[at] ?? []), search.findings),
          ),
        );
    }
    return searches.map((search) => answers.get(search)!);
  });

  /** The k best cells. Fetches further rows until copies and ties are complete, unless `isRough`. */
  const best = async (search: VectorSearch, k: number, enough: number, isRough: boolean): Promise<Hit[]> => {
    const hits = new Map<string, number>();
    let seen = 0;
    for (let limit = Math.min(WINDOW, k + OVER_FETCH); ; limit = Math.min(WINDOW, 4 * limit)) {
      const leftOut = hits.size === 0 ? "" : isNotIn("content", [...hits.keys()]);
      const rows = await nearest({ ...search, filter: both(search.filter, leftOut), limit });
      seen += rows.length;
      for (const { content, score } of rows) if (!hits.has(content)) hits.set(content, score);
      const last = rows.length < limit ? Number.NEGATIVE_INFINITY : rows.at(-1)!.score;
      search.findings?.add(rows, (row) => (row as Scored).score > last + TIE);
      if (rows.length < limit) {
        const isShort =
          hits.size < enough && (await tables.count(search.generation.cells, search.filter, search.level)) > seen;
        return isShort ? scan(search, k) : order(hits, k);
      }
      const isEnough = hits.size >= enough && (isRough || order(hits, k)[k - 1]!.score > last + TIE);
      if (isEnough || hits.size > MAX_EXCLUDED) return order(hits, k);
    }
  };

  /** Reads and scores passing cells, up to the limit of one answer. */
  const scan = async ({ generation, vector, filter, level, findings }: VectorSearch, k: number): Promise<Hit[]> => {
    const limit = Math.max(1, Math.min(WINDOW, Math.floor(SCAN_BYTES / (4 * vector.length + 2_000))));
    const fields: Fields<CellRow> = [...fieldsFor(findings), "vector"];
    const rows = parse(await tables.query<CellRow>(generation.cells, filter, limit, { fields, level }), findings);
    findings?.add(rows, () => rows.length < limit);
    return order(new Map(rows.map((row) => [row.content, cosine(vector, Float32Array.from(row.vector))])), k);
  };

  /** The k best cells by words. */
  const byWords = async ({ generation, filter, level, findings }: Search, text: string, k: number): Promise<Hit[]> => {
    for (let limit = Math.min(WINDOW, k + OVER_FETCH); ; limit = Math.min(WINDOW, 4 * limit)) {
      const { results } = await call("search by words", (client, timeout) =>
        client.search({
          collection_name: generation.cells,
          anns_field: "bm25",
          data: text as never,
          filter,
          limit,
          output_fields: [...fieldsFor(findings)],
          consistency_level: level as never,
          timeout,
        }),
      );
      const rows = parse(results, findings);
      const last = rows.length < limit ? 0 : rows.at(-1)!.score;
      findings?.add(rows, (row) => (row as Scored).score > last);
      const hits = new Map<string, number>();
      for (const { content, score } of rows) if (!hits.has(content)) hits.set(content, score / REPEATED);
      // An answer may be full of copies of a few cells.
      if (2 * hits.size >= k || rows.length < limit || limit >= WINDOW) return order(hits, k);
    }
  };

  /**
   * The searches by vector and by words, and, if a line is being typed, the search by its words, in one call. The server
   * returns the union with the scores by words; the scores by vector are computed here.
   */
  const byBoth = async (search: PoolSearch, limit: number): Promise<PoolLists> => {
    const { generation, vector, text, line, filter, passes, level, findings } = search;
    const byVector = { anns_field: "vector", data: Array.from(vector), params: graphParams(generation, limit) };
    const byText = { anns_field: "bm25", params: {} };
    const searches = [
      { ...byVector, limit, expr: filter },
      { ...byText, data: text, limit, expr: filter },
      ...(line === null ? [] : [{ ...byText, data: line.text, limit: LINE_ROWS, expr: line.filter }]),
    ];
    const { results } = await call("search", (client, timeout) =>
      client.hybridSearch({
        collection_name: generation.cells,
        data: searches,
        rerank: {
          strategy: "weighted",
          params: { weights: [0, 1, FAINT].slice(0, searches.length), norm_score: true },
        },
        limit: searches.reduce((sum, each) => sum + each.limit, 0),
        output_fields: [...ANSWER],
        consistency_level: level as never,
        timeout,
      } as never),
    );
    const rows = parse(results, findings);
    const cosines = new Map<string, number>();
    for (const row of rows) {
      if (!cosines.has(row.content)) cosines.set(row.content, cosine(vector, vectorOf(row)));
    }
    const isFaint = ({ score }: Scored) => line !== null && score < MAX_FAINT;
    const worded = rows.filter(({ score }) => score > 0);
    const bm25 = decodeScores(worded.map((row) => (isFaint(row) ? { ...row, score: row.score / FAINT } : row)));
    const words = firstRows(
      worded.filter((row) => !isFaint(row)),
      bm25,
      limit,
    );
    const near = firstRows(rows.filter(passes), cosines, limit, QUANTIZATION_ERROR);
    const faint = worded.filter(isFaint);
    // If the search by the line may have been cut, copies of its last cell may be missing.
    const starts = firstRows(faint, bm25, worded.length < LINE_ROWS ? LINE_ROWS : faint.length);
    findings?.add(rows, ({ content }) => [near, words, starts].some(({ isWhole }) => isWhole(content)));
    return { near, words, line: starts.hits };
  };

  return {
    async search(generation: Generation, query: SearchQuery, findings: Findings | null): Promise<Hit[]> {
      const { vector, k, strong = false, rough = false } = query;
      const filter = filterOf(query);
      if (filter === null || k < 1) return [];
      const level = strong ? "Strong" : "Bounded";
      const hits = await best({ generation, vector, filter, level, findings }, k, k, rough);
      return hits.map(({ id, score }) => ({ id, score: Math.max(-1, Math.min(1, score)) }));
    },

    /** The server's own BM25 over the subwords of the code; null if it has none. */
    async lexical(generation: Generation, query: LexicalQuery, findings: Findings | null): Promise<Hit[] | null> {
      if (!generation.words) return null;
      const filter = filterOf(query);
      const text = toQuery(query.words);
      if (filter === null || query.k < 1 || text === "") return [];
      return byWords({ generation, filter, level: "Bounded", findings }, text, query.k);
    },

    /** Candidates of the vector search and the word search with all fields, in one call if the server supports both. */
    async pool(generation: Generation, query: PoolQuery, findings: Findings): Promise<CandidateIds> {
      const { vector, size, max, filter: labels, line = null } = query;
      const [filter, notebooks] = [filterOf(query), filterOf({ ...query, filter: undefined })];
      if (filter === null || notebooks === null) return { inside: [], outside: [] };
      const ties = { first: size, share: query.tie };
      const known = new Map<string, FoundRow>();
      const search = {
        generation,
        filter,
        passes: (row: FoundRow) => labels === undefined || passesFilter(labels, row),
        level: "Bounded" as const,
        findings: {
          add(rows: readonly FoundRow[], isComplete: (row: FoundRow) => boolean) {
            for (const row of rows) known.set(row.content, row);
            findings.add(rows, isComplete);
          },
        },
      };
      const text = generation.words ? toQuery(query.words) : "";
      const lineText = generation.words && line !== null ? toQuery(line.words) : "";
      const lineFilter = line?.isFiltered ? filter : notebooks;
      const keep = (hits: readonly Hit[]) => keepTies(hits.slice(0, max), ties);
      const idsOf = (...lists: readonly (readonly Hit[])[]) => [...new Set(lists.flat().map(({ id }) => id))];
      if (vector !== null && text !== "") {
        const both = { ...search, vector, text, line: lineText === "" ? null : { text: lineText, filter: lineFilter } };
        for (let limit = POOL_COPIES * size; ; limit = limit < max ? POOL_COPIES * max : 4 * limit) {
          limit = Math.min(limit, WINDOW / 4);
          const { near, words, line: starts } = await byBoth(both, limit);
          // An answer may be full of copies of a few cells, or of cells that score nearly alike.
          const mayLack = ({ hits, isCut }: FirstRows) =>
            isCut &&
            (2 * hits.length < size ||
              (limit < max && hits.length < max && hits.at(-1)!.score >= query.tie * hits[0]!.score));
          if (!(mayLack(near) || mayLack(words)) || limit >= Math.min(8 * max, WINDOW / 4)) {
            const inside = idsOf(keep(near.hits), keep(words.hits));
            return { inside, outside: without(idsOf(starts), inside) };
          }
        }
      }
      const find = async (within: string) => {
        const one = { ...search, filter: within };
        if (vector === null) return text === "" ? [] : idsOf(keep(await byWords(one, text, max)));
        if (generation.words) return idsOf(keep(await best({ ...one, vector }, max, size, true)));
        const k = Math.max(query.sizeWithoutWords, size) * (within === filter ? 1 : WIDER);
        return idsOf(await best({ ...one, vector }, k, size, true));
      };
      if (generation.words) {
        const starts = lineText === "" ? [] : byWords({ ...search, filter: lineFilter }, lineText, LINE_ROWS);
        const [inside, others] = await Promise.all([find(filter), starts]);
        return { inside, outside: without(idsOf(others), inside) };
      }
      if (line === null || lineFilter === filter) return { inside: await find(filter), outside: [] };
      const all = await find(lineFilter);
      const passing = all.filter((id) => search.passes(known.get(id)!));
      const inside = passing.length < size && passing.length < all.length ? await find(filter) : passing;
      return { inside, outside: without(all, inside) };
    },
  };
}

/** The first `limit` rows of a search by score, as hits. */
interface FirstRows {
  readonly hits: readonly Hit[];
  /** Whether there may be further rows. */
  readonly isCut: boolean;
  /** Whether all rows of the content are among them. */
  readonly isWhole: (content: string) => boolean;
}

function firstRows(
  rows: readonly FoundRow[],
  scoreOf: ReadonlyMap<string, number>,
  limit: number,
  error = 0,
): FirstRows {
  const sorted = rows.map(({ content }) => scoreOf.get(content)!).sort((one, other) => other - one);
  const last = sorted[limit - 1] ?? Number.NEGATIVE_INFINITY;
  const scores = new Map<string, number>();
  for (const { content } of rows) if (scoreOf.get(content)! >= last) scores.set(content, scoreOf.get(content)!);
  return {
    hits: order(scores, scores.size),
    isCut: sorted.length >= limit,
    isWhole: (content) => (scores.get(content) ?? Number.NEGATIVE_INFINITY) > last + error,
  };
}

function without(ids: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return ids.filter((id) => !known.has(id));
}

type Filters = { readonly [Key in "filter" | "notebooks"]?: SearchQuery[Key] | undefined };

function filterOf({ filter, notebooks }: Filters): string | null {
  const [labels, among] = [labelExpression(filter), notebookExpression(notebooks)];
  return labels === null || among === null ? null : both(labels, among);
}

/** Sorts by score. Nearly equal scores count as equal and are ordered by id. */
function order(hits: ReadonlyMap<string, number>, k: number): Hit[] {
  const sorted = [...hits].map(([id, score]) => ({ id, score })).sort((one, other) => other.score - one.score);
  for (let from = 0; from < sorted.length && from < k; ) {
    let to = from + 1;
    while (to < sorted.length && sorted[to - 1]!.score - sorted[to]!.score <= TIE) to += 1;
    const tied = sorted.slice(from, to).sort((one, other) => (one.id < other.id ? -1 : 1));
    sorted.splice(from, tied.length, ...tied);
    from = to;
  }
  return sorted.slice(0, k);
}

function toQuery(words: ReadonlyMap<string, number>): string {
  return [...words].flatMap(([word, weight]) => Array<string>(Math.round(REPEATED * weight)).fill(word)).join(" ");
}

/**
 * Computes the BM25 scores from the scores of a fusion, which are 2/pi times the arctangent of the BM25 score. Milvus
 * Lite treats them as distances and returns one minus that. The median tells which form it is, because most BM25 scores
 * are far above 1.
 */
export function decodeScores(
  rows: readonly { readonly content: string; readonly score: number }[],
): Map<string, number> {
  const sorted = rows.map(({ score }) => score).sort((one, other) => one - other);
  const isInverted = (sorted[sorted.length >> 1] ?? 1) < 0.5;
  const decode = (score: number) => Math.tan(((isInverted ? 1 - score : score) * Math.PI) / 2) / REPEATED;
  return new Map(rows.map(({ content, score }) => [content, decode(score)]));
}
