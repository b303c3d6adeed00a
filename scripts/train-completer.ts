// Trains models/complete: the prior, the mixture, the rescoring net and the calibration.
//   npm run build && node --max-old-space-size=8000 dist/scripts/train-completer.js OUT PATH...
// A PATH is a folder of notebooks or a corpus of JSON lines. While the weights are fitted, the notebooks of folders
// serve as the user's index. The fit uses notebooks that are neither in the prior nor in that index.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CompletionFacts } from "../src/complete/confidence.js";
import {
  type CommentHint,
  type CursorState,
  createResolver,
  createSuccessor,
  NO_HINT,
  nextHint,
  startState,
} from "../src/complete/cursor-state.js";
import { canFollow, createExpander, createSearchTree, findLines, type Path } from "../src/complete/line-search.js";
import { BIN_COUNT, binOf, createMixed, mix } from "../src/complete/mixture.js";
import { type Parts, partsOf, topicOf } from "../src/complete/name-parts.js";
import { type FactsLayer, joinLayers, type NotebookFacts, readLayer } from "../src/complete/notebook-facts.js";
import {
  COMPONENT_COUNT,
  createPredictor,
  type IndexSegment,
  type Predictions,
  type Predictor,
} from "../src/complete/predict.js";
import { createPriorTrie, type PriorArrays } from "../src/complete/prior.js";
import { createScope, type NameRoles, type Scope } from "../src/complete/roles.js";
import { packModel } from "../src/complete/shipped-model.js";
import { appendCell, emptyStream, push, type TokenStream } from "../src/complete/stream.js";
import type { ClassPairs } from "../src/complete/token-classes.js";
import { FEATURE_COUNT, MAX_CANDIDATES, writeFeatures } from "../src/complete/token-features.js";
import { type CodeToken, readCell, track, WRAP } from "../src/complete/tokens.js";
import { extendVocabulary, type Vocabulary } from "../src/complete/vocabulary.js";
import {
  indexedOf,
  learnIndex,
  learnPrior,
  type Part,
  readNotebooks,
  type TrainingNotebook,
} from "./completer-corpus.js";
import {
  bitsPerToken,
  fitCalibration,
  fitMixture,
  fitNet,
  type MixtureExample,
  type NetExample,
} from "./fit-completer.js";
import { createRandom } from "./train-embedder-rename.js";

/** Share of the cells, and of their tokens, that are used for the fit. */
const FIT_SHARE = 0.8;
const MIXTURE_SHARE = 0.4;
const NET_SHARE = 0.7;
/** Maximum tokens of a statement; longer statements are data. */
const MAX_STATEMENT = 60;
/** Share of the notebooks in a small index, which then has about as many cells as the samples. */
const SMALL_INDEX = 0.03;

const [out, ...paths] = process.argv.slice(2);
if (out === undefined || paths.length === 0) throw new Error("usage: train-completer.js OUT PATH...");
const random = createRandom(7);
const started = performance.now();
const report = (text: string) => console.error(`${((performance.now() - started) / 1000).toFixed(0)} s  ${text}`);

const notebooks = await readNotebooks(paths);
report(`${notebooks.length} notebooks, ${new Set(notebooks.map(({ author }) => author)).size} authors`);
const fitted = fitWeights(notebooks);
const final = learnPrior(notebooks);
report(`prior: ${final.prior.tokens.length} contexts, ${final.prior.targets.length} continuations`);
const bytes = packModel({
  ...renumberPrior(final.prior, final.vocabulary),
  nameRoles: final.nameRoles,
  pairs: final.pairs,
  ...fitted,
});
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "model.bin"), bytes);
const sha256 = createHash("sha256").update(bytes).digest("hex");
const manifest = { model: "celrec-complete", revision: sha256.slice(0, 12), sha256: { "model.bin": sha256 } };
writeFileSync(join(out, "model.json"), `${JSON.stringify(manifest, null, 2)}\n`);
report(`${out}/model.bin: ${(bytes.length / 1e6).toFixed(1)} MB`);

/** Renumbers the tokens of the prior from 1. */
function renumberPrior(prior: PriorArrays, vocabulary: Vocabulary) {
  const used = [...new Set([...prior.tokens, ...prior.targets])].filter((id) => id !== 0).sort((a, b) => a - b);
  const renumbered = new Map(used.map((id, index) => [id, index + 1]));
  const renumber = (ids: Int32Array) => ids.map((id) => renumbered.get(id) ?? 0);
  // The order of the numbers is kept, so the children of a node stay sorted.
  return {
    vocabulary: used.map((id) => vocabulary.textOf(id)),
    prior: { ...prior, tokens: renumber(prior.tokens), targets: renumber(prior.targets) },
  };
}

interface Event {
  readonly state: CursorState;
  readonly facts: NotebookFacts;
  readonly vocabulary: Vocabulary;
  readonly partial: string;
  readonly truth: string;
  readonly rest: readonly CodeToken[];
}

interface Round {
  readonly pairs: ClassPairs;
  readonly predictor: Predictor;
  readonly predict: (event: Event) => Predictions;
  /** The weights must also work for users with a small or an empty index. */
  drawIndex(): void;
  useWholeIndex(): void;
  eventsOf(held: readonly HeldNotebook[], tokenShare: number): Generator<Event>;
}

/** A model learnt without some notebooks. */
function openRound(from: readonly TrainingNotebook[]): Round {
  const { prior, vocabulary, nameRoles, pairs } = learnPrior(from);
  const large = [learnIndex(indexedOf(from, 1), vocabulary, nameRoles)];
  const small = [learnIndex(indexedOf(from, SMALL_INDEX), vocabulary, nameRoles)];
  let segments: readonly IndexSegment[] = large;
  const predictor = createPredictor(createPriorTrie(prior), () => segments);
  const longString = vocabulary.idOf("'…'");
  return {
    pairs,
    predictor,
    predict: ({ state, facts, vocabulary: own, partial }) =>
      predictor.predict(state, facts.ids, {
        size: own.size + 1_024,
        resolve: createResolver(state.scope, own),
        successorOf: createSuccessor(own),
        isSelective: partial !== "",
        accepts: (id) =>
          id !== 0 &&
          id !== longString &&
          canFollow(state, own.classAt(id), pairs, 0) &&
          (partial === "" || own.textOf(id).startsWith(partial)),
      }),
    drawIndex: () => {
      const draw = random();
      segments = draw < 0.15 ? [] : draw < 0.3 ? small : large;
    },
    useWholeIndex: () => {
      segments = large;
    },
    eventsOf: (held, tokenShare) => eventsOf(held, tokenShare, vocabulary, nameRoles),
  };
}

/**
 * Fits the weights in two rounds, on notebooks that the model has not learnt: first of known authors, then of new
 * authors.
 */
function fitWeights(all: readonly TrainingNotebook[]) {
  const partOf = (wanted: Part) => all.filter(({ part, isIndexed }) => isIndexed && part === wanted);
  const isLearnt = ({ part }: TrainingNotebook) => part === "learn";
  const from = all.filter(isLearnt);
  const first = openRound(from);
  const shares: MixtureExample[] = [];
  const draws: NetSample[] = [];
  const collect = (round: Round, held: readonly TrainingNotebook[]) => {
    for (const event of round.eventsOf(held, MIXTURE_SHARE)) {
      if (event.partial !== "") continue;
      round.drawIndex();
      const predictions = round.predict(event);
      const slot = predictions.ids.subarray(0, predictions.count).indexOf(event.vocabulary.idOf(event.truth));
      const own = new Float64Array(COMPONENT_COUNT);
      for (let at = 0; at < COMPONENT_COUNT; at += 1)
        own[at] = slot === -1 ? 0 : predictions.shares[at * predictions.capacity + slot]!;
      shares.push({ bin: binOf(predictions.matched), shares: own });
    }
    draws.push({ round, held });
  };
  collect(first, partOf("weights"));
  const isHeld = ({ isSecondRound, isIndexed, part }: TrainingNotebook) =>
    isSecondRound && isIndexed && part === "learn";
  collect(
    openRound(all.filter((each) => (isLearnt(each) || each.part === "weights") && !each.isSecondRound)),
    all.filter(isHeld),
  );
  const weights = { bins: fitMixture(shares, BIN_COUNT, COMPONENT_COUNT) };
  report(`mixture: ${shares.length} tokens`);

  const mixed = createMixed(MAX_CANDIDATES);
  const features = new Float32Array((MAX_CANDIDATES + 1) * FEATURE_COUNT);
  const toExample = (round: Round, event: Event): NetExample => {
    const predictions = round.predict(event);
    mix(predictions, weights, mixed);
    const rows = writeFeatures({ ...event, predictions, mixed, partsOf }, features);
    const truth = event.vocabulary.idOf(event.truth);
    let right = rows - 1;
    for (let row = 0; row < mixed.count; row += 1) if (predictions.ids[mixed.slots[row]!] === truth) right = row;
    return { features: features.slice(0, rows * FEATURE_COUNT), rows, right };
  };
  const examples: NetExample[] = [];
  for (const { round, held } of draws) {
    for (const event of round.eventsOf(held, NET_SHARE)) {
      round.drawIndex();
      examples.push(toExample(round, event));
    }
    report(`net: ${examples.length} tokens`);
  }
  first.useWholeIndex();
  const unseenExamples = [...first.eventsOf(partOf("calibration"), 0.3)].map((event) => toExample(first, event));
  const net = fitNet(examples, FEATURE_COUNT, random, report);
  report(`unseen notebooks: ${bitsPerToken(net, unseenExamples).toFixed(3)} bits a token`);

  const { pairs, predictor } = first;
  const expand = createExpander({ predictor, weights, net, pairs, isKnown: () => true });
  const outcomes: { readonly facts: CompletionFacts; readonly isRight: boolean }[] = [];
  const known = new Set(from.flatMap(({ cells }) => cells.map((code) => code.trim())));
  // Copies are left out, because they are easy and rarer in a user's own notebooks.
  const unseen = partOf("calibration").map((each) => ({
    ...each,
    isSkipped: (code: string) => known.has(code.trim()) && random() < 0.7,
  }));
  for (const event of first.eventsOf(unseen, 0.3)) {
    first.drawIndex();
    const query = { ...event, stop: null, reserved: 0 };
    for (const path of findLines(createSearchTree(expand, query), 2, { expansions: 30, minChance: 0 }))
      addOutcomes(path, event, outcomes);
  }
  const calibration = fitCalibration(outcomes);
  report(`calibration: ${outcomes.length} completions`);
  return { weights, net, calibration };
}

interface NetSample {
  readonly round: Round;
  readonly held: readonly TrainingNotebook[];
}

/** The line and its prefixes, each with whether it is right. */
function addOutcomes(
  path: Path,
  { rest, partial }: Event,
  outcomes: { facts: CompletionFacts; isRight: boolean }[],
): void {
  let chance = 1;
  let weakest = 1;
  let isRight = true;
  const isHalfTyped = partial !== "";
  for (const [at, token] of path.tokens.entries()) {
    chance *= path.chances[at]!;
    weakest = Math.min(weakest, path.chances[at]!);
    isRight &&= rest[at]?.text === token.text;
    outcomes.push({ facts: { chance, weakest, tokens: at + 1, isLine: false, isHalfTyped }, isRight });
  }
  const end = path.chances.at(-1)!;
  const next = rest[path.tokens.length];
  const facts = {
    chance: chance * end,
    weakest: Math.min(weakest, end),
    tokens: path.tokens.length,
    isLine: true,
    isHalfTyped,
  };
  outcomes.push({ facts, isRight: isRight && (next === undefined || next.kind === "line" || next.isWrapped === true) });
}

type HeldNotebook = TrainingNotebook & { readonly isSkipped?: (code: string) => boolean };

/** Positions in cells at which a token is predicted. Half of the time only the five nearest cells are known. */
function* eventsOf(
  from: readonly HeldNotebook[],
  tokenShare: number,
  base: Vocabulary,
  nameRoles: NameRoles,
): Generator<Event> {
  for (const { cells, markdown, isSkipped = () => false } of from) {
    for (const [index, code] of cells.entries()) {
      if (random() > FIT_SHARE || isSkipped(code)) continue;
      const before = cells.slice(random() < 0.5 ? 0 : Math.max(0, index - 5), index);
      const vocabulary = extendVocabulary(base);
      const stream = emptyStream();
      const scope = createScope(nameRoles);
      for (const cell of before) appendCell(stream, scope, readCell(cell));
      const above = readLayer(stream, vocabulary);
      const own = emptyStream();
      const factsOf = createFactsReader(above, own, vocabulary, topicOf(markdown[index]!));
      let hint = NO_HINT;
      for (const statement of splitStatements(readCell(code))) {
        if (statement.length <= MAX_STATEMENT)
          yield* eventsIn(statement, factsOf, scope.fork(), vocabulary, hint, tokenShare);
        hint = statement.reduce(nextHint, hint);
        const body = statement.filter(({ kind }) => kind !== "line");
        const mentions = body.length === 0 ? [] : scope.readStatement(body);
        for (const [at, token] of statement.entries()) push(own, 0, token, mentions[at] ?? null);
      }
    }
  }
}

/** The input of a prediction at a token of a statement, as for a question at this position. */
function createFactsReader(above: FactsLayer, own: TokenStream, vocabulary: Vocabulary, topic: Parts) {
  return (typed: readonly CodeToken[], scope: Scope): NotebookFacts => {
    const mentions = typed.length === 0 ? [] : scope.fork().readStatement(typed);
    for (const [at, token] of typed.entries()) push(own, 0, token, mentions[at]!);
    const facts = joinLayers(above, readLayer(own, vocabulary, above.ids.concrete.at(-1)), topic);
    for (const list of Object.values(own)) list.length -= typed.length;
    return facts;
  };
}

function* eventsIn(
  statement: readonly CodeToken[],
  factsOf: ReturnType<typeof createFactsReader>,
  scope: Scope,
  vocabulary: Vocabulary,
  start: CommentHint,
  tokenShare: number,
): Generator<Event> {
  let hint = start;
  for (const [at, token] of statement.entries()) {
    if (token.comment !== undefined) hint = nextHint(hint, token);
    if (random() >= tokenShare) continue;
    const typed = statement.slice(0, at);
    const rest = statement.slice(at);
    const facts = factsOf(typed, scope);
    const open: string[] = [];
    for (const { kind, text } of typed) if (kind === "operator") track(open, text);
    const state = startState(facts, scope, typed, open, vocabulary, hint);
    const isWrapped = token.isWrapped === true;
    if (isWrapped) yield { state, facts, vocabulary, partial: "", truth: WRAP, rest };
    yield { state: { ...state, isWrapped }, facts, vocabulary, partial: begin(token), truth: token.text, rest };
  }
}

/** Decides whether a name or string is half-typed, which is the case for nearly half of them. */
function begin({ kind, text }: CodeToken): string {
  if ((kind !== "name" && kind !== "keyword" && kind !== "string") || random() > 0.45) return "";
  return text.slice(0, 1 + Math.floor(random() * (kind === "string" ? text.length - 1 : text.length)));
}

function splitStatements(tokens: readonly CodeToken[]): CodeToken[][] {
  const statements: CodeToken[][] = [[]];
  for (const token of tokens) {
    statements.at(-1)!.push(token);
    if (token.kind === "line") statements.push([]);
  }
  return statements.filter(({ length }) => length > 0);
}
