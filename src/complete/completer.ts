import { randomUUID } from "node:crypto";
import type { CompleteAnswer, CompleteRequest, Completion } from "./completion-request.js";
import { calibrate } from "./confidence.js";
import { advance } from "./cursor-state.js";
import { createImplausibleCheck, isUndefined, isUnknownName, type LibraryFacts } from "./implausible.js";
import type { IndexModel } from "./index-model.js";
import {
  createExpander,
  createSearchTree,
  findLines,
  followBest,
  type Path,
  type SearchNode,
  type SearchQuery,
} from "./line-search.js";
import { createPredictor } from "./predict.js";
import type { PriorTrie } from "./prior.js";
import { createQuestionReader, type PreparedQuestion } from "./question-reader.js";
import { habitsOf, needsSpace, renderTokens, type WritingHabits } from "./render.js";
import type { ShippedModel } from "./shipped-model.js";
import { type CodeToken, readCell } from "./tokens.js";
import { MARK } from "./vocabulary.js";

/** Default minimum confidence, suitable for a list. Ghost text needs a higher one. */
export const DEFAULT_MIN_CONFIDENCE = 0.02;
/** Minimum confidences and probabilities. */
const MIN = {
  /** The confidence of an alternative to the first completion. */
  alternative: 0.01,
  /** The probability of a search path; less probable paths are not extended. */
  path: 0.001,
  /** The confidence of a whole line. If no line reaches it, the first completion is the likely start of a line. */
  firstLine: 0.1,
  /** The confidence of the likely start of a line, as the first completion. */
  start: 0.3,
  /** The probability of closing the typed call without arguments. */
  emptyCall: 0.5,
  /** The probability of each further line, given the lines before it. */
  furtherLine: 0.4,
} as const;
/**
 * Minimum probability of a searched path, as a share of the minimum confidence. The confidence is seldom more than five
 * times the probability.
 */
const MIN_PROBABILITY_SHARE = 0.2;
/**
 * Maximum number of predictions if `one` completion is wanted, or `several`. More predictions find more alternatives,
 * but hardly ever a better first completion.
 */
const EXPANSIONS = { one: 20, several: 40 } as const;
/** A partial line must not end with these tokens, because the useful part follows them. */
const DANGLING = new Set([
  "(",
  "[",
  "{",
  ",",
  "=",
  ".",
  "+",
  "-",
  "*",
  "/",
  "and",
  "or",
  "not",
  "in",
  "import",
  "from",
  "as",
]);

/** Maximum number of tokens before the cursor in a statement. A longer statement is data. */
const MAX_STATEMENT = 2_000;
export interface CompleterDeps {
  readonly shipped: ShippedModel;
  readonly index: Pick<IndexModel, "vocabulary" | "segments" | "isKnown" | "cellsWith">;
}

/** Continues the text at the cursor. Synchronous: a question takes a few milliseconds. */
export function createCompleter({ shipped, index }: CompleterDeps) {
  const predictor = createPredictor(shipped.prior, index.segments);
  const expand = createExpander({ predictor, ...shipped, isKnown: index.isKnown });
  const readQuestion = createQuestionReader(index.vocabulary, shipped.nameRoles);
  const library = createLibraryFacts(shipped.prior, index);

  return (request: CompleteRequest): CompleteAnswer => {
    const started = performance.now();
    const { prefix, k, minConfidence = DEFAULT_MIN_CONFIDENCE, fallbackConfidence = minConfidence } = request;
    const { context = {} } = request;
    const thresholds = fallbackConfidence < minConfidence ? [minConfidence, fallbackConfidence] : [minConfidence];
    const question = readQuestion(prefix, context);
    const read = performance.now();
    const habits = habitsOf(`${prefix}${(context.before ?? []).at(-1) ?? ""}`);
    const isCode = question.cursor.isCode && question.state.statement.length <= MAX_STATEMENT;
    const choose = isCode ? search(question, request, thresholds.at(-1)!) : () => [];
    let completions: readonly Completion[] = [];
    for (const min of thresholds) {
      completions = toCompletions(choose(min), question, prefix, habits, min).slice(0, k);
      if (completions.length > 0) break;
    }
    const ended = performance.now();
    return {
      id: randomUUID(),
      completions,
      took: { read: read - started, search: ended - read, total: ended - started },
    };
  };

  /**
   * Searches once, for completions with a confidence of at least `floor`. Returns a function that selects from them
   * those that reach a minimum confidence, which must not be below `floor`.
   */
  function search(question: PreparedQuestion, request: CompleteRequest, floor: number) {
    const { suffix = "", k, maxLines, context: { variables = {} } = {} } = request;
    const { cursor, state, facts, vocabulary } = question;
    const rest = readCell(suffix.split("\n", 1)[0]!);
    const query: SearchQuery = {
      state,
      facts,
      vocabulary,
      partial: cursor.partial,
      stop: rest[0]?.text ?? null,
      reserved: countClosing(rest),
      exclude: createImplausibleCheck(question, variables, library),
    };
    const limits = {
      expansions: k === 1 ? EXPANSIONS.one : EXPANSIONS.several,
      minChance: (k === 1 ? floor : floorOf(floor)) * MIN_PROBABILITY_SHARE,
    };
    const root = createSearchTree(expand, query);
    const lines = findLines(root, k, limits);
    const best = lines[0];
    return (minConfidence: number): readonly Path[] => {
      const wanted = Math.max(minConfidence, MIN.firstLine);
      if (best !== undefined && confidenceOf(best, question) >= wanted)
        return maxLines > 1 && rest.length === 0 ? [addLines(query, best, maxLines), ...lines.slice(1)] : lines;
      // No whole line is likely enough, so offer the likely start of the best line.
      const start = longestLikely(followBest(root, MIN.path), question, Math.max(minConfidence, MIN.start));
      // If the line is unlikely, a different next token is a better alternative than a different end of the line.
      const min = Math.min(minConfidence, DEFAULT_MIN_CONFIDENCE);
      const likely = lines.filter((line) => confidenceOf(line, question) >= min);
      const found = start === null ? likely : [start, ...likely];
      return k === 1 ? found : addStarts(root, question, found, k, min);
    };
  }

  /**
   * Fills a short list with other possible next tokens. Each is extended while the text remains at least half as likely
   * as the token.
   */
  function addStarts(
    root: SearchNode,
    question: PreparedQuestion,
    found: readonly Path[],
    k: number,
    minConfidence: number,
  ): Path[] {
    const paths = [...found];
    const shown = new Set(found.map(({ tokens }) => tokens[0]?.text));
    for (const { token, chance, origins } of root.expand().steps) {
      if (paths.length >= k) break;
      if (shown.has(token.text)) continue;
      const rest = followBest(root.after(token), MIN.path);
      const path = {
        ...rest,
        tokens: [token, ...rest.tokens],
        chances: [chance, ...rest.chances],
        chance: chance * rest.chance,
        origins,
      };
      const one = confidenceOf({ ...path, tokens: [token], chances: [chance], chance, isEnded: false }, question);
      const start = longestLikely(path, question, Math.max(minConfidence, one / 2));
      if (start !== null) paths.push(start);
    }
    return paths;
  }

  /** Appends further lines while each is likely enough. */
  function addLines(query: SearchQuery, first: Path, maxLines: number): Path {
    let path = first;
    let state = first.state;
    for (let lines = 1; lines < maxLines && path.lineEnd !== null; lines += 1) {
      const line: CodeToken = { kind: "line", text: path.lineEnd };
      const further = { ...query, state: advance(state, line, query.vocabulary), partial: "" };
      const next = followBest(createSearchTree(expand, further), MIN.path);
      if (!next.isEnded || next.tokens.length === 0 || next.chance < MIN.furtherLine) break;
      state = next.state;
      path = {
        ...next,
        tokens: [...path.tokens, line, ...next.tokens],
        chances: [...path.chances, ...next.chances],
        chance: path.chance * next.chance,
        origins: first.origins,
      };
    }
    return path;
  }

  function confidenceOf({ chance, chances, tokens, isEnded }: Path, question: PreparedQuestion): number {
    const weakest = Math.min(...chances);
    return calibrate(shipped.calibration, {
      chance,
      weakest,
      tokens: tokens.length,
      isLine: isEnded,
      isHalfTyped: question.cursor.partial !== "",
    });
  }

  /** The longest start of a path that is likely enough and does not end in a dangling token. */
  function longestLikely(path: Path, question: PreparedQuestion, minConfidence: number): Path | null {
    const { state, cursor } = question;
    for (let length = path.tokens.length; length > 0; length -= 1) {
      const tokens = path.tokens.slice(0, length);
      const last = tokens.at(-1)!;
      const isArgument = state.open.length > 0 || tokens.some(({ text }) => text === "(" || text === "[");
      // The name of a keyword argument is complete with its `=`. A half-typed name may still become a different name.
      const isKeyword = last.text === "=" && isArgument && tokens[0]!.text !== cursor.partial;
      const isCall = last.text === "(" && tokens.at(-2)?.kind === "name";
      if (length > 1 && DANGLING.has(last.text) && !isKeyword && !isCall) continue;
      const end = { ...state, statement: [...state.statement, ...tokens] };
      if (isUndefined(end, last)) continue;
      // An unknown name may be a module or function that is imported elsewhere. Only the text after the name would show
      // that.
      if (isArgument && cursor.partial === "" && isUnknownName(end, last)) continue;
      const chances = path.chances.slice(0, length);
      const start = {
        ...path,
        tokens,
        chances,
        isEnded: false,
        chance: chances.reduce((product, chance) => product * chance, 1),
      };
      const addsText = tokens.map(({ text }) => text).join("") !== cursor.partial;
      if (addsText && confidenceOf(start, question) >= minConfidence) return start;
    }
    return null;
  }

  function toCompletions(
    paths: readonly Path[],
    question: PreparedQuestion,
    prefix: string,
    habits: WritingHabits,
    minConfidence: number,
  ): Completion[] {
    const completions: Completion[] = [];
    const texts = new Set<string>();
    for (const path of paths) {
      const confidence = confidenceOf(path, question);
      const text = writePath(path, question, prefix, habits);
      if (text.trim() === "" || texts.has(text) || confidence < floorOf(minConfidence)) continue;
      // Few calls have no arguments, so an empty call must be likely.
      if (text.startsWith(")") && prefix.endsWith("(") && path.chances[0]! < MIN.emptyCall) continue;
      texts.add(text);
      const isBlock = path.tokens.some(({ kind }) => kind === "line");
      completions.push({
        text,
        confidence: Math.round(confidence * 1e4) / 1e4,
        kind: isBlock ? "block" : path.isEnded ? "line" : "token",
        from: originOf(path.origins),
        cells: index.cellsWith(
          [...question.state.concrete, ...path.tokens.map((token) => question.vocabulary.idOf(token.text))],
          path.tokens.length,
        ),
      });
    }
    completions.sort((a, b) => b.confidence - a.confidence);
    return (completions[0]?.confidence ?? 0) < minConfidence ? [] : completions;
  }
}

export type Completer = ReturnType<typeof createCompleter>;

function createLibraryFacts(prior: PriorTrie, { vocabulary, segments }: CompleterDeps["index"]): LibraryFacts {
  /** The continuations of these tokens in the prior; empty if it does not know them. */
  const followersOf = (...texts: readonly string[]): Int32Array => {
    const nodes = prior.walk(texts.map((text) => vocabulary().idOf(text)));
    if (nodes.length <= texts.length) return new Int32Array(0);
    const { from, to } = prior.continuations(nodes.at(-1)!);
    return prior.targets.subarray(from, to);
  };
  const members = new Set(followersOf(`${MARK}frame`, "."));
  return {
    isFrameMember: (id) => members.size === 0 || members.has(id),
    isCalled: (id) =>
      segments().some(({ names }) => {
        const calls = names.narrow({ low: 0, high: names.length }, 0, vocabulary().idOf("("));
        return id !== 0 && calls !== null && names.narrow(calls, 1, id) !== null;
      }),
    isKeyword(id) {
      const equals = vocabulary().idOf("=");
      // In the contexts of the prior, a variable is a role, so a name before `=` is an argument.
      if (followersOf(vocabulary().textOf(id)).includes(equals)) return true;
      return segments().some(({ names }) => {
        const assigned = names.narrow({ low: 0, high: names.length }, 0, equals);
        const named = id === 0 || assigned === null ? null : names.narrow(assigned, 1, id);
        return named !== null && ["(", ","].some((text) => names.narrow(named, 2, vocabulary().idOf(text)) !== null);
      });
    },
  };
}

/** The minimum confidence of alternatives to the first completion. */
function floorOf(minConfidence: number): number {
  return Math.min(minConfidence, MIN.alternative);
}

/** The text to insert at the cursor. */
function writePath(
  { tokens }: Path,
  { cursor, state }: PreparedQuestion,
  prefix: string,
  habits: WritingHabits,
): string {
  const [first] = tokens;
  if (first === undefined) return "";
  const lines = splitLines(tokens);
  const indents = [...cursor.indents];
  let text = "";
  if (cursor.partial !== "") {
    const typed = cursor.partialKind === "string" ? quoteOf(prefix, cursor.partial) : null;
    const rest = first.text.slice(cursor.partial.length);
    text =
      typed === null || !rest.endsWith("'") || rest.slice(0, -1).includes(typed)
        ? rest
        : `${rest.slice(0, -1)}${typed}`;
    text += renderTokens([...state.statement, first], state.open, lines[0]!.tokens.slice(1), habits);
  } else {
    const last = state.statement.at(-1);
    const isSpaced = prefix === "" || /\s$/.test(prefix);
    const wantsSpace = last !== undefined && needsSpace(state.statement.at(-2), last, first, state.open);
    // Follow the user's style: no space after `x=`.
    const isClose = last?.text === "=" && !/\s=$/.test(prefix);
    if (!isSpaced && wantsSpace && !isClose) text = " ";
    text += renderTokens([], state.open, lines[0]!.tokens, habits);
  }
  for (const { change, tokens: line } of lines.slice(1)) {
    if (change === "\n+") indents.push(indents.at(-1)! + 4);
    else for (const _ of change.slice(1)) if (indents.length > 1) indents.pop();
    text += `\n${" ".repeat(indents.at(-1)!)}${renderTokens([], [], line, habits)}`;
  }
  return text;
}

function splitLines(tokens: readonly CodeToken[]): { change: string; tokens: CodeToken[] }[] {
  const lines: { change: string; tokens: CodeToken[] }[] = [{ change: "", tokens: [] }];
  for (const token of tokens) {
    if (token.kind === "line") lines.push({ change: token.text, tokens: [] });
    else lines.at(-1)!.tokens.push(token);
  }
  return lines;
}

/** The quote that the string at the cursor was opened with. */
function quoteOf(prefix: string, partial: string): "'" | '"' {
  const opening = prefix.charAt(prefix.length - partial.length + (/^[a-z]*/.exec(partial)?.[0].length ?? 0));
  return opening === '"' ? '"' : "'";
}

function originOf(origins: readonly number[]): Completion["from"] {
  const [prior = 0, indexNames = 0, indexRoles = 0, notebookNames = 0, notebookRoles = 0] = origins;
  const notebook = Math.max(notebookNames, notebookRoles);
  const index = Math.max(indexNames, indexRoles);
  if (notebook > 0 && notebook >= index && notebook >= prior) return "notebook";
  return index > 0 && index >= prior * 0.5 ? "index" : "prior";
}

/** The number of brackets that are open at the cursor and closed by these tokens. */
function countClosing(tokens: readonly CodeToken[]): number {
  let depth = 0;
  let lowest = 0;
  for (const { kind, text } of tokens) {
    if (kind !== "operator") continue;
    if (text === "(" || text === "[" || text === "{") depth += 1;
    else if (text === ")" || text === "]" || text === "}") depth -= 1;
    lowest = Math.min(lowest, depth);
  }
  return -lowest;
}
