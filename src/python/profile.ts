import { isCalled, isRenamable, type NameRole, nameRoles } from "./name-roles.js";
import { packStatementStarts } from "./statement-starts.js";
import { ownCopy, subwords } from "./subwords.js";
import { type Token, tokenize } from "./tokenize.js";

/** The features of a cell for reranking, as hashes; small enough to cache for every candidate. */
export interface CellProfile {
  /** Subwords of the code, in order. */
  readonly words: Int32Array;
  /**
   * For each word, whether renaming never changes it (attributes, called builtins, keyword arguments, modules,
   * literals).
   */
  readonly fixed: Uint8Array;
  /** Two hashes per line of code: of its tokens (`lines`), and of its tokens without the free names (`shapes`). */
  readonly lines: Int32Array;
  readonly shapes: Int32Array;
  /** For each line, the number of words before its end. */
  readonly ends: Int32Array;
  /** Distinct names that are called, without builtins. */
  readonly calls: Int32Array;
  readonly comments: number;
  /** Subwords of the comments. */
  readonly remarks: Int32Array;
  /** Characters of the raw cell. */
  readonly length: number;
  /** The starts of all statements, for `createStartCheck`; null if not all are known. */
  readonly starts: Uint8Array | null;
}

/** Maximum characters that are read; the rest is probably data. */
export const MAX_PROFILED_CHARACTERS = 6000;
export const MAX_PROFILED_WORDS = 1500;

interface HashedToken {
  readonly hash: number;
  readonly words: readonly number[];
}

/**
 * Maximum length of a cached token. Most tokens are a few thousand names and operators; long tokens are strings that
 * occur once.
 */
const MAX_CACHED_TOKENS = 20_000;
const MAX_CACHED_LENGTH = 40;
/** The cache is emptied when it is full, because tracking the order of use costs more than it saves. */
const cache = new Map<string, HashedToken>();

/** Number of cached profiles; the preceding cells stay the same while a user types. */
const MAX_RECENT_PROFILES = 32;
const recentProfiles = new Map<string, CellProfile>();

/** `profileCell` with a cache: a question needs its cells several times, and so does the next question. */
export function profileRecent(code: string): CellProfile {
  if (code.length > MAX_PROFILED_CHARACTERS) return profileCell(code);
  const known = recentProfiles.get(code);
  if (known !== undefined) return known;
  const profile = profileCell(code);
  if (recentProfiles.size === MAX_RECENT_PROFILES) recentProfiles.delete(recentProfiles.keys().next().value!);
  recentProfiles.set(ownCopy(code), profile);
  return profile;
}

export function profileCell(code: string): CellProfile {
  const tokens = tokenize(code.slice(0, MAX_PROFILED_CHARACTERS));
  const roles = nameRoles(tokens);
  const words: number[] = [];
  const fixed: number[] = [];
  const lines: number[] = [];
  const shapes: number[] = [];
  const ends: number[] = [];
  const calls = new Set<number>();
  const remarks: number[] = [];
  let comments = 0;
  let line = 0;
  let shape = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.kind === "comment") {
      if (line === 0) comments += 1;
      if (remarks.length < MAX_PROFILED_WORDS) remarks.push(...subwords(token.text).map(hashText));
    }
    if (token.kind === "newline") endLine();
    if (token.kind === "newline" || token.kind === "comment" || words.length >= MAX_PROFILED_WORDS) continue;
    const { hash, words: found } = hashToken(token.text);
    line = hashPair(line, hash);
    shape = hashPair(shape, isRenamable(roles[at]) ? 1 : hash);
    if (isCalled(tokens, at) && roles[at] !== "builtin") calls.add(hash);
    const stays = isFixed(token, roles[at]!) ? 1 : 0;
    for (const word of found) {
      words.push(word);
      fixed.push(stays);
    }
  }
  endLine();
  return {
    words: Int32Array.from(words),
    fixed: Uint8Array.from(fixed),
    lines: Int32Array.from(lines),
    shapes: Int32Array.from(shapes),
    ends: Int32Array.from(ends),
    calls: Int32Array.from(calls),
    comments,
    remarks: Int32Array.from(remarks),
    length: code.length,
    starts: code.length > MAX_PROFILED_CHARACTERS ? null : packStatementStarts(tokens),
  };

  function endLine(): void {
    if (line === 0) return;
    lines.push(line);
    shapes.push(shape);
    ends.push(words.length);
    line = 0;
    shape = 0;
  }
}

function hashToken(text: string): HashedToken {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const hashed = { hash: hashText(text), words: subwords(text).map(hashText) };
  if (text.length > MAX_CACHED_LENGTH) return hashed;
  if (cache.size === MAX_CACHED_TOKENS) cache.clear();
  cache.set(ownCopy(text), hashed);
  return hashed;
}

function isFixed({ kind }: Token, role: NameRole | null): boolean {
  if (role !== null) return !isRenamable(role);
  return kind === "string" || kind === "number" || kind === "magic";
}

/** FNV-1a, cut to 30 bits, because JavaScript engines store such numbers without allocation. Never 0. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return finishHash(hash);
}

/** Combines two hashes; the order matters. */
export function hashPair(left: number, right: number): number {
  return finishHash(Math.imul(Math.imul(left ^ 0x9e3779b9, 0x85ebca6b) ^ right, 0xc2b2ae35));
}

function finishHash(hash: number): number {
  return (((hash ^ (hash >>> 15)) >>> 2) & 0x3fffffff) | 1;
}
