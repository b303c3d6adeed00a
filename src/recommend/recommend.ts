import { randomUUID } from "node:crypto";
import type { Embedder } from "../embed/embedder.js";
import type { Labeller } from "../label/labeller.js";
import { normalizeSource } from "../notebook/extract.js";
import { strip } from "../python/strip.js";
import type { LabelFilter, Occurrence, StoredCell, VectorStore } from "../store/vector-store.js";
import { createHitAdapter, type HitAdaptation } from "./answer/answer.js";
import { type Clock, createClock } from "./clock.js";
import { chooseFilter, restrictToNotebooks } from "./filters.js";
import { agreeWithOrder, literalBlindKey, putRunnableFirst } from "./hit-order.js";
import { createLackCheck } from "./missing-names.js";
import { findNextCells } from "./next-cells.js";
import { createAddedCode, createNoveltyCheck } from "./novelty.js";
import { prepareQuery, type TypedCode, textOf } from "./query.js";
import type { AnswerMode, Recommendation } from "./recommendation.js";
import { defaultDiversity, defaultMinConfidence, type Recommend, type RecommendRequest } from "./request.js";
import { kindOf, type Reranker } from "./rerank.js";
import { measureFit } from "./runtime-fit.js";
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

const STRING = /(["'])(?:(?!\1|\\|\n).)*\1/g;

/** The request with its defaults filled in. */
type Typed = RecommendRequest &
  TypedCode & { readonly mode: AnswerMode; readonly minConfidence: number; readonly keepsContinuing: boolean };
type Find = (count: number, within?: LabelFilter) => Promise<Candidate[]>;

/**
 * The read path: label and embed what is typed, search, rank, and describe the cells found.
 * @example
 * const recommend = createRecommend({ embedder, labeller, store, reranker });
 * const { recommendations } = await recommend({ code: "df = pd.read_", k: 3, filter: "soft", mode: "complete", collapse: true });
 */
export function createRecommend({ embedder, labeller, store: whole, reranker }: RecommendDeps): Recommend {
  /** As in the paper: ranked by cosine alone. */
  const byCosine = async (store: VectorStore, request: Typed, clock: Clock): Promise<Find> => {
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
    request: Typed,
    clock: Clock,
    adapt: (code: string) => HitAdaptation,
    onConfidence: (value: number) => void,
  ) => {
    const { code, mode, collapse, exclude, minConfidence, signal } = request;
    const kind = kindOf(request);
    const { diversity = defaultDiversity(kind) } = request;
    // Similarity does not depend on the context.
    const context = kind === "similar" ? {} : (request.context ?? {});
    const prepared = await clock.timeAsync("embed", () =>
      prepareQuery({ embedder, idf: stage.idf, findWords: stage.findWords }, request, context, signal),
    );
    const last = kind === "next" ? context.before?.at(-1) : undefined;
    const following: ReadonlyMap<string, number> =
      last === undefined
        ? new Map()
        : await clock.timeAsync("follow", () => findNextCells({ store, embedder }, last, exclude, signal));
    const isNovel = createNoveltyCheck(context.before);
    const rerank = { code, mode, context };
    const variables = request.context?.variables ?? {};
    // Typed code tells more than the kernel's variables.
    const usesRuntime = kind === "next" && Object.keys(variables).length > 0;
    const runtime = { variables, above: [...(context.before ?? []), context.markdown ?? ""].join("\n") };
    const fitOf = usesRuntime ? (cell: string) => measureFit(adapt(cell).adapted.code, runtime) : undefined;
    const isTypingLine = kind === "complete" && !/\n\s*$/.test(code);
    // Reading a cell costs more than looking for the last typed name in it.
    const lastName =
      /([\p{ID_Start}_][\p{ID_Continue}]*)[^\p{ID_Continue}\n]*$/u.exec(code.slice(-1000).replace(STRING, "''"))?.[1] ??
      "";
    const continuesTyped = isTypingLine
      ? (cell: string) => cell.includes(lastName) && adapt(cell).continuesTyped
      : undefined;
    const isFilterSoft = request.filter === "soft" && request.label === undefined;
    const query = {
      prepared,
      following,
      rerank,
      diversity,
      minConfidence,
      isNovel,
      fitOf,
      continuesTyped,
      isFilterSoft,
      keepsContinuing: request.keepsContinuing,
      onConfidence,
      clock,
    };
    const added = createAddedCode(kind, code, context.before ?? []);
    const addedCode = (cell: StoredCell) => added(cell, adapt);
    const options: CandidateOptions = {
      collapse,
      addedCode,
      ...(kind !== "similar" && { addedKey: literalBlindKey }),
      ...(exclude && { exclude }),
    };
    const find: Find = (count, within) =>
      findInTwoStages({ store, embedder, reranker: stage }, query, count, within, options);
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
    const adapt = clock.time("help", () => createHitAdapter(asked.code, { ...asked.context, suffix: asked.suffix }));
    const findLack = createLackCheck(asked.code, asked.context ?? {});
    let highestConfidence: number | null = null;
    const note = (value: number) => {
      highestConfidence = Math.max(highestConfidence ?? 0, value);
    };
    const own = whole.forQuestion?.() ?? whole;
    const store = asked.notebooks === undefined ? own : restrictToNotebooks(own, asked.notebooks);
    const find = await (reranker
      ? byFeatures(store, reranker, request, clock, adapt, note)
      : byCosine(store, request, clock));
    const within = chooseFilter(labelling, filter, label);
    // An explicit label is a condition, not a guess.
    const { found, widened } =
      label === undefined
        ? await findEnough(find, k, within, collapse)
        : { found: await find(k, within), widened: false };
    const recommendations = clock.time("help", () =>
      agreeWithOrder(
        putRunnableFirst(found, ({ cell }) =>
          findLack(adapt(cell.code).adapted.insert, adapt(cell.code).continuesLine),
        ),
      ).map((candidate, index) => toRecommendation(candidate, index, explain, adapt(candidate.cell.code))),
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

/** If the filter leaves fewer than k hits, the best of the rest follow. */
async function findEnough(
  find: Find,
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
