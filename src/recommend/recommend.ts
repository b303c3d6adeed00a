import { randomUUID } from "node:crypto";
import type { Embedder } from "../embed/embedder.js";
import type { Labeller } from "../label/labeller.js";
import { normalizeSource } from "../notebook/extract.js";
import { strip } from "../python/strip.js";
import { tokenize } from "../python/tokenize.js";
import type { LabelFilter, Occurrence, StoredCell, VectorStore } from "../store/vector-store.js";
import { createHitAdapter, type HitAdaptation } from "./answer/answer.js";
import { findOrigins } from "./answer/name-evidence.js";
import { readSourceLines } from "./answer/source-lines.js";
import {
  createColumnFilter,
  createSupply,
  readKnownNames,
  type SuppliedInsertion,
  type Supply,
} from "./answer/supply.js";
import { POOL_LIMITS, TYPING_POOL_LIMITS } from "./candidate-pool.js";
import { type CellsAbove, findCellsAbove } from "./cells-above.js";
import { type Clock, createClock } from "./clock.js";
import { createContinuingCheck } from "./continuing.js";
import { createMayExpect, createStartProbability } from "./expected-lines.js";
import { chooseFilter, restrictToNotebooks } from "./filters.js";
import { findNextCells } from "./next-cells.js";
import { createAddedCode, createNoveltyCheck } from "./novelty.js";
import { prepareQuery, type TypedCode, textOf } from "./query.js";
import type { AnswerMode, Recommendation } from "./recommendation.js";
import { defaultDiversity, defaultMinConfidence, type Recommend, type RecommendRequest } from "./request.js";
import { kindOf, type Reranker } from "./rerank.js";
import { type FitCheck, measureFit } from "./runtime-fit.js";
import { type Candidate, type CandidateOptions, gather } from "./select.js";
import { findInTwoStages } from "./two-stage.js";

export type { RecommendAnswer, Recommendation } from "./recommendation.js";
export type { Recommend, RecommendRequest } from "./request.js";

interface RecommendDeps {
  readonly embedder: Embedder;
  readonly labeller: Labeller;
  readonly store: VectorStore;
  /** The second stage; without it, cells are ranked by cosine alone, as in the paper. */
  readonly reranker?: Reranker;
}

/** The request with its defaults filled in. */
type ResolvedRequest = RecommendRequest &
  TypedCode & { readonly mode: AnswerMode; readonly minConfidence: number; readonly keepsContinuing: boolean };
/** Whether an insertion uses undefined names; null if there is no insertion. */
type MissingNames = "nothing" | "names" | null;
type FindCandidates = (count: number, within?: LabelFilter) => Promise<Candidate[]>;

/**
 * The read path: label and embed what is typed, search, rank, and describe the cells found.
 * @example
 * const recommend = createRecommend({ embedder, labeller, store, reranker });
 * const { recommendations } = await recommend({ code: "df = pd.read_", k: 3, filter: "soft", mode: "complete", collapse: true });
 */
export function createRecommend({ embedder, labeller, store: whole, reranker }: RecommendDeps): Recommend {
  /** The ranking of the published recommender, by cosine only. */
  const byCosine = async (store: VectorStore, request: ResolvedRequest, clock: Clock): Promise<FindCandidates> => {
    const { collapse, exclude, signal } = request;
    const [vector = null] = await clock.timeAsync("embed", () => embedder.embed([textOf(request)], "query", signal));
    return async (count, within) => {
      if (vector === null) return [];
      const search = (k: number) => store.search({ vector, k, ...(within && { filter: within }) });
      return clock.timeAsync("search", () => gather(store, search, count, { collapse, ...(exclude && { exclude }) }));
    };
  };
  const byFeatures = async (
    store: VectorStore,
    stage: Reranker,
    request: ResolvedRequest,
    clock: Clock,
    adapt: (code: string) => HitAdaptation,
    onConfidence: (value: number) => void,
  ) => {
    const { code, mode, collapse, exclude, minConfidence, signal } = request;
    const kind = kindOf(request);
    const { diversity = defaultDiversity(kind) } = request;
    // Similarity does not depend on the context.
    const context = kind === "similar" ? {} : (request.context ?? {});
    const expected = kind === "next" ? (request.expected ?? []) : [];
    const prepared = await clock.timeAsync("embed", () =>
      prepareQuery(
        { embedder, idf: stage.idf, findWords: stage.findWords, minIdf: kind === "complete" ? MIN_IDF_TYPING : 0 },
        request,
        context,
        { expected, signal },
      ),
    );
    const last = kind === "next" ? context.before?.at(-1) : undefined;
    const following =
      last === undefined
        ? NO_CELLS
        : await clock.timeAsync("follow", () => findNextCells({ store, embedder }, last, exclude, signal));
    const isNovel = createNoveltyCheck(context.before);
    const rerank = { code, mode, context };
    const variables = request.context?.variables ?? {};
    // Typed code is stronger evidence than the kernel's variables.
    const usesRuntime = kind === "next" && Object.keys(variables).length > 0;
    const runtime = { variables, above: [...(context.before ?? []), context.markdown ?? ""].join("\n") };
    const chanceOf = createStartProbability(expected);
    const fit: FitCheck | undefined =
      usesRuntime || expected.length > 0
        ? {
            readsFirst: usesRuntime,
            mayFit: createMayExpect(expected),
            measure(cell) {
              const { code: adapted } = adapt(cell).adapted;
              return { runtime: usesRuntime ? measureFit(adapted, runtime) : 0, expected: chanceOf(adapted) };
            },
          }
        : undefined;
    const isTyping = kind === "complete" && isTypingLine(code);
    const continuing = isTyping ? createContinuingCheck(code, (cell) => adapt(cell).continuesTyped) : undefined;
    const isFilterSoft = request.filter === "soft" && request.label === undefined;
    const query = {
      prepared,
      following,
      rerank,
      diversity,
      minConfidence,
      isNovel,
      fit,
      continuing,
      isFilterSoft,
      keepsContinuing: request.keepsContinuing,
      onConfidence,
      clock,
    };
    const limits = kind === "complete" ? TYPING_POOL_LIMITS : POOL_LIMITS;
    const added = createAddedCode(kind, code, context.before ?? []);
    const addedCode = (cell: StoredCell) => added(cell, adapt);
    const options: CandidateOptions = {
      collapse,
      addedCode,
      ...(kind !== "similar" && { addedKey: literalBlindKey }),
      ...(exclude && { exclude }),
    };
    const find: FindCandidates = (count, within) =>
      findInTwoStages({ store, embedder, reranker: stage, limits }, query, count, within, options);
    return find;
  };

  return async (asked) => {
    const clock = createClock(asked.signal);
    const code = normalizeSource(asked.code);
    const { text: clean } = clock.time("clean", () => strip(code));
    const mode = asked.mode !== "auto" ? asked.mode : code.trim() === "" ? "next" : "complete";
    const minConfidence = asked.minConfidence ?? defaultMinConfidence(asked.mode);
    const keepsContinuing = asked.minConfidence === undefined;
    const request = { ...asked, code, clean, mode, minConfidence, keepsContinuing };
    const { k, label, filter, collapse, explain = false } = request;
    const labelling = clock.time("label", () => labeller.label(clean, "prefix"));
    let known: ReadonlySet<string> | null | undefined;
    const knownNames = () => {
      if (known === undefined) known = readKnownNames(asked.code, asked.context ?? {});
      return known;
    };
    const adapt = clock.time("adapt", () =>
      createHitAdapter(asked.code, {
        ...asked.context,
        suffix: asked.suffix,
        knownNames,
        usualOrigins: reranker?.usualOrigins,
      }),
    );
    let highestConfidence: number | null = null;
    const note = (value: number) => {
      highestConfidence = Math.max(highestConfidence ?? 0, value);
    };
    // A remote store is asked once per request.
    const isLocal = whole.name === "embedded";
    const own = whole.forQuestion?.() ?? whole;
    const store = asked.notebooks === undefined ? own : restrictToNotebooks(own, asked.notebooks);
    const find = await (reranker
      ? byFeatures(store, reranker, request, clock, adapt, note)
      : byCosine(store, request, clock));
    const within = chooseFilter(labelling, filter, label);
    // The filter is hard for a label of the request, and soft for a predicted label.
    const { found, widened } =
      label === undefined
        ? await findEnough(find, k, within, collapse)
        : { found: await find(k, within), widened: false };
    const names = clock.time("adapt", knownNames);
    const supply = names && createSupply(asked.code, names);
    const { before, markdown = "", variables = {} } = asked.context ?? {};
    const mentions = [...(before ?? []), markdown, ...Object.values(variables), asked.suffix ?? ""];
    const leaveOutColumns =
      mode === "similar" || before === undefined ? null : createColumnFilter(asked.code, names, mentions);
    const withoutColumns = (hit: HitAdaptation) => {
      const { insert, code: cell } = hit.adapted;
      return leaveOutColumns?.(insert, hit.continuesLine, cell) ?? { text: insert, isCut: false };
    };
    const answers: { candidate: Candidate; hit: HitAdaptation; lacks: MissingNames; confidence: number | null }[] = [];
    for (const candidate of found) {
      const hit = clock.time("adapt", () => adapt(candidate.cell.code));
      const { confidence } = candidate;
      const adapted = await clock.timeAsync("adapt", async () => {
        const first = withoutColumns(hit);
        const missing = supply?.findMissing(first.text, hit.continuesLine) ?? NO_NAMES;
        if (missing.size === 0 || supply === null) return { hit, ...first };
        const above = isLocal ? await findCellsAbove(store, candidate.occurrence) : null;
        const renamed = await renameByOrigins(hit, missing, above);
        const rest = renamed === hit ? first : withoutColumns(renamed);
        const left = supply.findMissing(rest.text, renamed.continuesLine);
        const supplied = await addDefinitions(supply, renamed, rest.text, left, above);
        return { hit: renamed, text: supplied.text, isCut: supplied.isCut || rest.isCut };
      });
      const { text, isCut } = adapted;
      const lacks = text === "" ? null : isCut ? "names" : "nothing";
      const isAsFound = text === adapted.hit.adapted.insert;
      const shown = isAsFound ? adapted.hit : { ...adapted.hit, adapted: { ...adapted.hit.adapted, insert: text } };
      answers.push({ candidate, hit: shown, lacks, confidence });
    }
    const inserts = mode !== "similar";
    const ordered = agreeWithOrder(putRunnableFirst(answers, ({ lacks }) => lacks, inserts));
    const recommendations = ordered.map(({ candidate, hit, confidence }, index) =>
      toRecommendation({ ...candidate, confidence }, index, explain, hit),
    );
    return {
      id: randomUUID(),
      query: { primary: labelling.primary, labels: labelling.labels },
      mode,
      highestConfidence,
      widened,
      recommendations,
      took: clock.took(),
    };
  };
}

const NO_NAMES: ReadonlySet<string> = new Set();
const NO_CELLS: ReadonlyMap<string, number> = new Map();

/**
 * While a cell is typed, typed words in more than a sixth of all cells (`=`, `(`, `data`) are not searched for: reading
 * their postings takes most of a search, and the second stage compares all words anyway.
 */
const MIN_IDF_TYPING = 2;

/** Renames undefined names by the calls that make their values in the hit's own notebook. */
async function renameByOrigins(
  hit: HitAdaptation,
  missing: ReadonlySet<string>,
  above: CellsAbove | null,
): Promise<HitAdaptation> {
  const sources = (await above?.withAny(missing)) ?? [];
  const lines = sources.flatMap((source) => readSourceLines(source).logical);
  const origins = findOrigins(lines, missing);
  return origins.size === 0 ? hit : hit.withOrigins(origins);
}

/** Adds definitions to the insertion of a hit: from its own cell, and from the cells above it if they can be read. */
async function addDefinitions(
  supply: Supply,
  { adapted: { code }, continuesLine }: HitAdaptation,
  insert: string,
  missing: ReadonlySet<string>,
  above: CellsAbove | null,
): Promise<SuppliedInsertion> {
  const names = new Set(missing);
  for (;;) {
    const { size } = names;
    const sources = [...((await above?.withAny(names)) ?? []), code];
    const supplied = supply.supply(insert, continuesLine, sources, names);
    // A definition may need further names, which other cells have.
    if (above === null || names.size === size) return supplied;
  }
}

/** If the filter leaves fewer than k hits, the best of the rest follow. */
async function findEnough(
  find: FindCandidates,
  k: number,
  within: LabelFilter | undefined,
  collapse: boolean,
): Promise<{ found: Candidate[]; widened: boolean }> {
  const found = await find(k, within);
  if (found.length >= k || within === undefined) return { found, widened: false };
  const ids = new Set(found.map(({ cell }) => cell.id));
  const texts = new Set(collapse ? found.map(({ cell }) => cell.clean) : []);
  const rest = (await find(k + found.length)).filter(({ cell }) => !ids.has(cell.id) && !texts.has(cell.clean));
  const more = rest.slice(0, k - found.length);
  return { found: [...found, ...more], widened: more.length > 0 };
}

function toRecommendation(candidate: Candidate, index: number, explain: boolean, hit: HitAdaptation): Recommendation {
  const { cell, score, confidence, why, occurrences, variants, occurrence } = candidate;
  return {
    rank: index + 1,
    id: cell.id,
    code: cell.code,
    matched: hit.matched,
    insert: hit.insert,
    continuesLine: hit.continuesLine,
    excerpt: hit.excerpt,
    adapted: hit.adapted,
    score,
    confidence,
    labels: cell.labels,
    occurrences,
    ...(variants > 0 && { variants }),
    notebook: toNotebook(occurrence),
    ...(explain && { why: why() }),
  };
}

function toNotebook({ notebook, source, name, cellIndex, facts }: Occurrence): Recommendation["notebook"] {
  return { id: notebook, source, name, cellIndex, ...facts };
}

/** A key that is equal for code that differs only in literals (paths, colours, sizes), comments or layout. */
export function literalBlindKey(code: string): string {
  return tokenize(code)
    .filter(({ kind }) => kind !== "comment")
    .map(({ kind, text }) => (kind === "string" || kind === "number" ? "'" : text))
    .join(" ");
}

/**
 * Makes confidences non-increasing by isotonic regression (pool adjacent violators): if a later hit has a higher
 * confidence, both get the mean. A list with an uncalibrated hit stays unchanged.
 */
export function agreeWithOrder<T extends { readonly confidence: number | null }>(hits: readonly T[]): T[] {
  if (hits.some(({ confidence }) => confidence === null)) return [...hits];
  const groups: { sum: number; count: number }[] = [];
  for (const { confidence } of hits) {
    let group = { sum: confidence!, count: 1 };
    for (let last = groups.at(-1); last && last.sum / last.count < group.sum / group.count; last = groups.at(-1)) {
      group = { sum: last.sum + group.sum, count: last.count + group.count };
      groups.pop();
    }
    groups.push(group);
  }
  const values = groups.flatMap(({ sum, count }) => new Array<number>(count).fill(sum / count));
  return hits.map((hit, at) => ({ ...hit, confidence: values[at]! }));
}

/**
 * Moves hits whose insertion uses undefined names after the runnable ones. Hits without an insertion keep their
 * position, or go to the end if an insertion is wanted.
 */
export function putRunnableFirst<T>(
  hits: readonly T[],
  missingNamesOf: (hit: T) => MissingNames,
  wantsInsertion = false,
): T[] {
  const lacks = hits.map(missingNamesOf);
  const withLack = (wanted: MissingNames) => hits.filter((_, at) => lacks[at] === wanted);
  const sorted = [...withLack("nothing"), ...withLack("names")];
  if (wantsInsertion) return [...sorted, ...withLack(null)];
  return hits.map((hit, at) => (lacks[at] === null ? hit : sorted.shift()!));
}

function isTypingLine(code: string): boolean {
  return !/\n\s*$/.test(code);
}
