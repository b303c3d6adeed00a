import { BUILTINS, KEYWORDS } from "../../python/lex.js";
import type { AlignedPair } from "./align.js";
import { collectEvidence, FROM_FILE, type NameEvidence, type OriginsOf } from "./name-evidence.js";
import type { LogicalLine, SourceLines } from "./source-lines.js";
import { kindOfType } from "./value-kinds.js";
import { findValueOrigins, type ValueOrigin } from "./value-origins.js";

/** The user's code: the typed lines, the preceding cells (nearest last) and the variables of a live kernel. */
export interface OwnCode {
  readonly typed: SourceLines;
  readonly before: readonly SourceLines[];
  readonly variables: Readonly<Record<string, string>>;
  /** Whether anything is typed, even if it is only a comment. */
  readonly isTyping: boolean;
}

/** A name of the user, with its roles. */
interface OwnName {
  readonly parts: ReadonlyMap<string, number>;
  /** Evidence from recent use, independent of the cell's name. */
  readonly recency: number;
  /** Number of words of the name. */
  readonly words: number;
}

/** Names that always mean modules; their imports are often far above. */
export const MODULES = new Set(
  "np pd plt sns tf os sys re math random time json px go nn torch keras sklearn scipy nltk cv2 sm stats glob pickle warnings gc itertools string datetime K F dt ff py pyplot mpl matplotlib seaborn numpy pandas tensorflow lgb xgb cb self cls _".split(
    " ",
  ),
);
const NAME = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;

/**
 * Evidence for a renaming: two names at the same position of two lines that differ only in names. Shared roles must
 * have at least the weight below.
 */
const ALIGNED = 4;
const MIN_SHARED = 0.8;
/** The lower minimum for an undefined name: without a renaming the insertion could not run. */
const MIN_SHARED_MISSING = 0.5;
/** Minimum sum of the weights of shared roles and the evidence from recent use. */
const MIN_EVIDENCE = 1;
/** Minimum lead of the best name over the second best. */
const MIN_LEAD = 0.2;
/** Evidence for names that were used recently. */
const RECENT = { lastLine: 0.7, typed: 0.6, lastCell: 0.3, kernel: 0.3 } as const;

/** The user's names. */
export interface OwnNames {
  readonly all: ReadonlyMap<string, OwnName>;
  /** The names that have a role, in the order of `all`. Most pairs of names share none. */
  readonly byPart: ReadonlyMap<string, readonly string[]>;
  /**
   * Whether something is typed. A user who types may reassign existing names. In an empty cell, renaming the result of
   * an equal call to the user's name would overwrite the user's value.
   */
  readonly isTyping: boolean;
}

const NO_NAMES: ReadonlySet<string> = new Set();
const NO_LIST: readonly string[] = [];

interface RenameVote {
  readonly from: string;
  readonly to: string;
  readonly weight: number;
}

interface MatchOptions {
  /** Pairs of a name of the cell and the different name that the user typed in its place. */
  readonly continued?: readonly (readonly [own: string, typed: string])[];
  /** The lines to insert after the cursor. */
  readonly inserted?: readonly LogicalLine[];
  /** Needed names that are undefined. For these, any plausible name of the user is better than none. */
  readonly missing?: ReadonlySet<string>;
  /** The calls that make the value of an undefined name. */
  readonly originsOf?: OriginsOf;
}

/**
 * Maps names of the cell to names of the user that have, with sufficient evidence, the same meaning. Names of modules,
 * called functions and classes are never renamed, unless the cell defines them.
 */
export function matchNames(
  cell: readonly LogicalLine[],
  pairs: readonly AlignedPair[],
  users: OwnNames,
  { continued = [], inserted = cell, missing = NO_NAMES, originsOf = () => [] }: MatchOptions = {},
): Map<string, string> {
  const kept = namesToKeep(cell);
  const isBlocked = (name: string) => kept.has(name) || MODULES.has(name);
  const names = collectEvidence(cell, (name) => (missing.has(name) ? originsOf(name) : []));
  const taken = takenNames(cell);
  const votes = [
    ...alignedVotes(pairs),
    ...continued.map(([from, to]) => ({ from, to, weight: ALIGNED })),
    ...evidenceVotes(names, users, isBlocked, findValueOrigins(inserted), missing),
  ];
  const chosen = new Map<string, string>();
  for (const { from, to } of mergeVotes(votes)) {
    const isOpen = !chosen.has(from) && !isBlocked(from) && !taken.has(to);
    if (!isOpen || users.all.has(from) || !isName(to)) continue;
    chosen.set(from, to);
    taken.add(to);
  }
  return chosen;
}

const NAMES = /[\p{ID_Start}_][\p{ID_Continue}]*/gu;
/** The start of a string with fields. */
const FIELDS = /^\w*[ft]\w*["']/i;

/** Whether the text is a valid variable name. Kernels and half-typed code may also give other words. */
function isName(text: string): boolean {
  return NAME.test(text) && !KEYWORDS.has(text) && !BUILTINS.has(text) && !MODULES.has(text);
}

/** Names of the cell, besides `MODULES`, that cannot be renamed without changing what the code does. */
function namesToKeep(lines: readonly LogicalLine[]): Set<string> {
  const keep = new Set<string>();
  const called = new Set<string>();
  const defined = new Set<string>();
  const hasClass = lines.some(({ tokens }) => tokens[0]!.text === "class");
  for (const { tokens, roles } of lines) {
    let inParameters = 0;
    for (let at = 0; at < tokens.length; at += 1) {
      const { kind, text } = tokens[at]!;
      const before = tokens[at - 1]?.text;
      if (before === "def") inParameters = 1;
      else if (text === "lambda") inParameters = 1;
      else if (inParameters > 0 && text === ":") inParameters = 0;
      // Names in f-strings, magics and queries are not renamed, so their other occurrences must stay, too.
      const mayHaveNames = kind === "magic" || (kind === "string" && (text.includes("@") || FIELDS.test(text)));
      if (mayHaveNames)
        for (const name of text.match(NAMES) ?? [])
          if (kind === "magic" || FIELDS.test(text) || text.includes(`@${name}`)) keep.add(name);
      const role = roles[at];
      if (role === "imported" || role === "module") keep.add(text);
      if (role !== "free") continue;
      if (inParameters > 0 || before === "global" || before === "nonlocal") keep.add(text);
      if (before === "def" || before === "class") {
        keep.add(text);
        continue;
      }
      if (tokens[at + 1]?.text === "(") called.add(text);
      if (tokens[at + 1]?.text === "=") defined.add(text);
      if (hasClass && tokens[at + 1]?.text === "=") keep.add(text);
    }
  }
  for (const name of called) if (!defined.has(name)) keep.add(name);
  return keep;
}

/**
 * All names that the cell uses as variables. Renaming another name to one of these would merge two variables.
 * Attributes and keyword arguments do not count.
 */
function takenNames(lines: readonly LogicalLine[]): Set<string> {
  const taken = new Set<string>();
  for (const { tokens, roles } of lines) {
    for (let at = 0; at < tokens.length; at += 1)
      if (tokens[at]!.kind === "name" && roles[at] !== "attribute" && roles[at] !== "keyword")
        taken.add(tokens[at]!.text);
  }
  return taken;
}

/** The names in the user's code, read once for all cells. */
export function collectOwnNames({ typed, before, variables, isTyping }: OwnCode): OwnNames {
  const found = new Map<string, OwnName>();
  const all = [...before.flatMap(({ logical }) => logical), ...typed.logical];
  const typedStart = all.length - typed.logical.length;
  const lastCell = typedStart - (before.at(-1)?.logical.length ?? 0);
  for (const [name, { parts, lastLine }] of collectEvidence(all)) {
    const recency =
      (lastLine === all.length - 1 && lastLine >= typedStart ? RECENT.lastLine : 0) +
      (lastLine >= typedStart ? RECENT.typed : lastLine >= lastCell ? RECENT.lastCell : 0);
    found.set(name, { parts, recency, words: countWords(parts) });
  }
  for (const [name, type] of Object.entries(variables)) {
    const kind = kindOfType(type);
    const known = found.get(name);
    const parts = new Map(known?.parts ?? []);
    if (kind !== undefined) parts.set(kind, 1.6);
    found.set(name, { parts, recency: known?.recency ?? RECENT.kernel, words: countWords(parts) });
  }
  for (const name of [...found.keys()]) if (!isName(name) || isOnlyCalled(found.get(name)!)) found.delete(name);
  for (const name of findNamed(all)) if (!Object.hasOwn(variables, name)) found.delete(name);
  const begun = findBegun(all);
  if (begun !== null && !Object.hasOwn(variables, begun)) found.delete(begun);
  const byPart = new Map<string, string[]>();
  for (const [name, { parts }] of found) {
    for (const part of parts.keys()) {
      const names = byPart.get(part);
      if (names === undefined) byPart.set(part, [name]);
      else names.push(name);
    }
  }
  return { all: found, byPart, isTyping };
}

/** Names of imports, functions and classes, to which no variable of a cell can correspond. */
function findNamed(lines: readonly LogicalLine[]): Set<string> {
  const named = new Set<string>();
  for (const { tokens, roles } of lines) {
    let before = "";
    for (let at = 0; at < tokens.length; at += 1) {
      const { text } = tokens[at]!;
      if (roles[at] === "imported" || before === "def" || before === "class") named.add(text);
      before = text;
    }
  }
  return named;
}

/** The last word if it occurs nowhere else, since it may be half-typed. */
function findBegun(lines: readonly LogicalLine[]): string | null {
  const last = lines.at(-1)?.tokens.at(-1);
  if (last?.kind !== "name") return null;
  let uses = 0;
  for (const { tokens } of lines) for (const { text } of tokens) if (text === last.text) uses += 1;
  return uses === 1 ? last.text : null;
}

function isOnlyCalled({ parts }: OwnName): boolean {
  return parts.has("()") && [...parts.keys()].every((part) => part === "()" || part.startsWith("word "));
}

/** Pairs of names at the same position of two lines that differ only in names. */
function alignedVotes(pairs: readonly AlignedPair[]): RenameVote[] {
  return pairs.flatMap(({ typed, cell, isSameShape }) => {
    if (!isSameShape) return [];
    return cell.tokens.flatMap(({ text }, at) => {
      const isFree = cell.roles[at] === "free" && typed.roles[at] === "free";
      return isFree ? [{ from: text, to: typed.tokens[at]!.text, weight: ALIGNED }] : [];
    });
  });
}

/** Pairs of names with shared roles, if one name of the user is clearly the best match. */
function evidenceVotes(
  names: ReadonlyMap<string, NameEvidence>,
  users: OwnNames,
  isBlocked: (name: string) => boolean,
  made: ReadonlyMap<string, ValueOrigin>,
  missing: ReadonlySet<string>,
): RenameVote[] {
  const votes: RenameVote[] = [];
  for (const [from, { parts }] of names) {
    if (isBlocked(from) || users.all.has(from)) continue;
    const isMissing = missing.has(from);
    const minShared = isMissing ? MIN_SHARED_MISSING : MIN_SHARED;
    const making = made.get(from);
    let best: RenameVote | null = null;
    let second = 0;
    const words = countWords(parts);
    for (const to of findSharing(parts, users)) {
      const user = users.all.get(to)!;
      const isAnother = making !== undefined && isNewValue(making, user, users.isTyping);
      const weight = isAnother ? 0 : measureShared(parts, words, user, minShared);
      // Two undefined names may have the same best match; the weaker one then takes its next best.
      if (isMissing && weight >= MIN_SHARED_MISSING) votes.push({ from, to, weight });
      if (best === null || weight > best.weight) {
        second = best?.weight ?? 0;
        best = { from, to, weight };
      } else if (weight > second) second = weight;
    }
    if (isMissing || best === null || best.weight < MIN_EVIDENCE) continue;
    if (best.weight - second >= MIN_LEAD) votes.push(best);
  }
  return votes;
}

/** The user's names that share a role with a name, in the order of all names. */
function findSharing(parts: ReadonlyMap<string, number>, { all, byPart }: OwnNames): string[] {
  const sharing = new Set<string>();
  for (const part of parts.keys()) for (const name of byPart.get(part) ?? NO_LIST) sharing.add(name);
  return sharing.size < 2 ? [...sharing] : [...all.keys()].filter((name) => sharing.has(name));
}

function measureShared(parts: ReadonlyMap<string, number>, count: number, user: OwnName, min: number): number {
  let shared = 0;
  let words = 0;
  for (const [part, weight] of parts) {
    const other = user.parts.get(part);
    if (other === undefined) continue;
    if (part.startsWith(WORD)) words += Math.min(weight, other);
    else shared += Math.min(weight, other);
  }
  // Normalized, because `y_test` and `X_test` share half of their words but have different meanings.
  const all = shared + (2 * words) / Math.max(2, count + user.words);
  return all < MIN_SHARED && shared < min ? 0 : all + user.recency;
}

/**
 * Whether the cell assigns a new value that would overwrite the user's. Only an equal call is assumed to make an equal
 * value; the same file is the same value even in an empty cell.
 */
function isNewValue({ calls, isLooped }: ValueOrigin, { parts }: OwnName, isTyping: boolean): boolean {
  if (isLooped) return !parts.has("for");
  if (calls.some((call) => call.startsWith(FROM_FILE) && parts.has(call))) return false;
  return !isTyping || !calls.some((call) => parts.has(call));
}

const WORD = "word ";
function countWords(parts: ReadonlyMap<string, number>): number {
  let count = 0;
  for (const part of parts.keys()) if (part.startsWith(WORD)) count += 1;
  return count;
}

/** Sums the evidence of each pair; the pair with the most evidence comes first. */
function mergeVotes(votes: readonly RenameVote[]): RenameVote[] {
  const merged = new Map<string, RenameVote>();
  for (const { from, to, weight } of votes) {
    if (from === to) continue;
    const key = `${from} ${to}`;
    merged.set(key, { from, to, weight: weight + (merged.get(key)?.weight ?? 0) });
  }
  return [...merged.values()].sort((one, other) => other.weight - one.weight || (one.from < other.from ? -1 : 1));
}
