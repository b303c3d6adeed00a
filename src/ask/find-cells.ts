import { notebookId } from "../notebook/extract.js";
import { subwords } from "../python/subwords.js";
import { checkLabel, restrictToNotebooks } from "../recommend/filters.js";
import type { ExpectedLine } from "../recommend/query.js";
import type { RecommendAnswer } from "../recommend/recommendation.js";
import { presetDefaults } from "../recommend/request.js";
import { readStoredQuery } from "../recommend/stored-query.js";
import type { Hit, SearchQuery, VectorStore } from "../store/vector-store.js";
import type { SearchAnswer } from "./answers.js";
import type { AskDeps } from "./deps.js";
import type { ShownAnswer } from "./feedback.js";
import { COMPLETION_BYTES, checkBefore, checkCode, endOfCode, nearestCells, startOfCode } from "./limits.js";
import { type AskRequest, type SearchRequest, toNotebookFilter } from "./requests.js";

/** Adds the probable first lines of the next cell to a request. */
export type ExpectingRequest = AskRequest & { readonly expected?: readonly ExpectedLine[] };

type Ask = (request: ExpectingRequest, signal?: AbortSignal) => Promise<RecommendAnswer>;

/** The main use case: recommends stored cells for the current cell. */
export function createRecommend({
  config,
  labeller,
  store,
  recommend,
}: Pick<AskDeps, "config" | "labeller" | "store" | "recommend">): Ask {
  const defaults = presetDefaults(config.preset);
  return async (request, signal) => {
    checkLabel(request.label, labeller.labels);
    checkBefore(request.context?.before ?? []);
    const suffix = "code" in request ? request.suffix : undefined;
    if ("code" in request) checkCode(request.code);
    if (suffix !== undefined) checkCode(suffix, "The suffix");
    const query =
      "code" in request
        ? { code: request.code, context: { before: undefined }, exclude: {} }
        : await readStoredQuery(store, request.notebook, request.cellIndex);
    const { before = query.context.before, markdown = "", variables } = request.context ?? {};
    return recommend({
      code: endOfCode(query.code),
      suffix: suffix === undefined ? undefined : startOfCode(suffix, COMPLETION_BYTES.suffix),
      k: request.k,
      label: request.label,
      notebooks: toNotebookFilter(request),
      filter: request.filter ?? defaults.filter,
      mode: request.mode ?? defaults.mode,
      collapse: request.collapse ?? defaults.collapse,
      diversity: request.diversity,
      minConfidence: request.minConfidence,
      // An empty list of cells above differs from an omitted one.
      context: { before: before && nearestCells(before), markdown, variables },
      exclude: { ...query.exclude, ...(request.exclude && { notebooks: request.exclude.notebooks.map(toId) }) },
      expected: request.expected,
      explain: request.explain,
      signal,
    });
  };
}

function toId(notebook: string | { readonly source: string; readonly path: string }): string {
  return typeof notebook === "string" ? notebook : notebookId(notebook.path, notebook.source);
}

/** A serialized answer with the facts that the sender needs. */
export interface JsonAnswer {
  readonly json: Uint8Array<ArrayBuffer>;
  readonly took: RecommendAnswer["took"];
  readonly shown: ShownAnswer;
}

/** The answer as the bytes of a JSON document, which a thread can transfer without a copy. */
export function toJson(answer: RecommendAnswer): JsonAnswer {
  const { id, mode, took } = answer;
  const recommendations = answer.recommendations.map(({ rank, confidence, labels }) => ({ rank, confidence, labels }));
  return {
    json: new TextEncoder().encode(JSON.stringify(answer)),
    took,
    shown: { id, mode, recommendations },
  };
}

type Search = (request: SearchRequest, signal?: AbortSignal) => Promise<SearchAnswer>;

/**
 * Finds cells whose code contains the words, or, if the store has no word search, similar cells by vector. With a label
 * and no words, returns the most typical cells of the label.
 */
export function createSearch({
  store: whole,
  embedder,
  labeller,
}: Pick<AskDeps, "store" | "embedder" | "labeller">): Search {
  const find = async (
    store: VectorStore,
    { text, k, label }: SearchRequest,
    signal?: AbortSignal,
  ): Promise<readonly Hit[]> => {
    const within = label === undefined ? {} : { filter: { field: "labels" as const, any: [label], unlabelled: false } };
    const isBare = text.trim() === "" && label !== undefined;
    const words = new Map(subwords(text).map((word) => [word, 1]));
    const byWords = isBare ? null : await store.lexical({ words, k, ...within }, signal);
    if (byWords !== null) return byWords;
    const [vector = null] = await embedder.embed([isBare ? label.replaceAll("_", " ") : text], "query", signal);
    if (vector === null) return [];
    const typical = isBare ? await findCentre(store, vector, within, signal) : vector;
    return store.search({ vector: typical, k, ...within }, signal);
  };
  return async (request, signal) => {
    checkLabel(request.label, labeller.labels);
    const filter = toNotebookFilter(request);
    const store = filter === undefined ? whole : restrictToNotebooks(whole, filter);
    const hits = await find(store, request, signal);
    const ids = hits.map(({ id }) => id);
    const [cells, provenance] = await Promise.all([store.cells(ids, signal), store.provenance(ids, undefined, signal)]);
    const scores = new Map(hits.map(({ id, score }) => [id, score]));
    // A cell that was deleted meanwhile has no occurrence.
    const shown = cells.flatMap(({ id, code, labels }) => {
      const { count = 0, first = null } = provenance.get(id) ?? {};
      if (first === null) return [];
      const notebook = { id: first.notebook, source: first.source, name: first.name, cellIndex: first.cellIndex };
      return [
        { id, code, score: scores.get(id)!, labels, occurrences: count, notebook: { ...notebook, ...first.facts } },
      ];
    });
    return { cells: shown.map((cell, index) => ({ rank: index + 1, ...cell })) };
  };
}

/** For a label with at most this many cells, all cells are averaged, so the centre does not depend on the start. */
const NEIGHBOURS = 500;
const MAX_ROUNDS = 3;

/** Finds the centre of the passing cells by mean shift: repeatedly takes the mean of the nearest cells. */
async function findCentre(
  store: VectorStore,
  start: Float32Array,
  within: Pick<SearchQuery, "filter">,
  signal?: AbortSignal,
): Promise<Float32Array> {
  let centre = start;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const hits = await store.search({ vector: centre, k: NEIGHBOURS, ...within }, signal);
    const vectors = await store.vectors(
      hits.map(({ id }) => id),
      signal,
    );
    const sum = new Float32Array(start.length);
    for (const vector of vectors.values()) for (const [at, value] of vector.entries()) sum[at]! += value;
    const length = Math.hypot(...sum);
    if (length === 0) return centre;
    centre = sum.map((value) => value / length);
    // The mean already includes all cells, so another round would not change it.
    if (hits.length < NEIGHBOURS) return centre;
  }
  return centre;
}

type UnrankedCell = Omit<SearchAnswer["cells"][number], "rank" | "score">;

/** The most frequent cells of a label; ties go to the smaller id. Scans the whole index. */
export async function listFrequentCells(
  { store, labeller }: Pick<AskDeps, "store" | "labeller">,
  { label, k }: { readonly label: string; readonly k: number },
  signal?: AbortSignal,
): Promise<UnrankedCell[]> {
  checkLabel(label, labeller.labels);
  let best: UnrankedCell[] = [];
  for await (const batch of store.scan()) {
    signal?.throwIfAborted();
    const cells = batch.filter(({ labels }) => labels.includes(label));
    const places = await store.provenance(
      cells.map(({ id }) => id),
      undefined,
      signal,
    );
    const found = cells.flatMap(({ id, code, labels }): UnrankedCell[] => {
      const { count = 0, first = null } = places.get(id) ?? {};
      if (first === null) return [];
      const { notebook, source, name, cellIndex, facts } = first;
      return [{ id, code, labels, occurrences: count, notebook: { id: notebook, source, name, cellIndex, ...facts } }];
    });
    best = [...best, ...found]
      .sort((one, other) => other.occurrences - one.occurrences || (one.id < other.id ? -1 : 1))
      .slice(0, k);
  }
  return best;
}
