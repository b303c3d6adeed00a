import { hashText } from "../python/profile.js";
import { createStartCheck } from "../python/statement-starts.js";
import { subwords } from "../python/subwords.js";
import { findStarts, mayHaveWords } from "../store/profile-pack.js";
import type { StoredCell, VectorStore } from "../store/vector-store.js";
import { readCursor } from "./answer/cursor.js";
import { MODULES } from "./answer/match-names.js";
import { readSourceLines } from "./answer/source-lines.js";
import type { RankedCandidate } from "./rerank.js";

/** Finds the cells that continue the line that is being typed. */
export interface ContinuingCheck {
  /** A quick check by the packed profile. False means that the cell certainly does not continue the line. */
  mayContinue(profile: Uint8Array | undefined): boolean;
  /** Bonus of a cell that continues the line. */
  readonly bonus: number;
  /** Returns the cells that continue the line. Reads their text, so pass only a few ids. */
  verify(store: VectorStore, ids: readonly string[]): Promise<StoredCell[]>;
}

/** Candidates in order, computed lazily. */
export interface Ranking {
  /** At most `count` candidates, best first. */
  first(count: number): Promise<readonly RankedCandidate[]>;
  /** Whether candidates were below the minimum confidence. */
  isCutOff(): Promise<boolean>;
}

/**
 * Bonus of a cell that continues the line that is being typed, on the scale of the scores. It is higher for an
 * unfinished line, because then other cells have no insertion.
 */
const CONTINUES_TYPED = { finished: 2, unfinished: 6 } as const;
/** Maximum number of candidates whose text is checked, best first. */
const MAX_CHECKED = 120;
/** Maximum number of characters read of the typed code. */
const MAX_CHARACTERS = 20_000;
const STRING = /(["'])(?:(?!\1|\\|\n).)*\1/g;
const LAST_NAME = /([\p{ID_Start}_][\p{ID_Continue}]*)[^\p{ID_Continue}\n]*$/u;

/** `continuesTyped` returns whether the text of a cell continues the typed line. */
export function createContinuingCheck(code: string, continuesTyped: (cell: string) => boolean): ContinuingCheck {
  const end = code.slice(-MAX_CHARACTERS);
  const mayStart = createStartCheck(end, (name) => MODULES.has(name));
  // Looking for the last typed name is cheaper than aligning the cell.
  const [last, lastName] = LAST_NAME.exec(code.slice(-1000).replace(STRING, "''")) ?? ["", ""];
  // A name at the cursor may become a longer one.
  const lastWords = last === lastName ? [] : subwords(lastName!).map(hashText);
  const { isUnfinished, isInWord } = readCursor(end, readSourceLines(end));
  return {
    bonus: isUnfinished || isInWord ? CONTINUES_TYPED.unfinished : CONTINUES_TYPED.finished,
    mayContinue(profile) {
      if (profile === undefined) return true;
      const starts = findStarts(profile);
      const mayHaveStart = starts === null || mayStart(profile, starts.from, starts.to);
      return mayHaveStart && mayHaveWords(profile, lastWords);
    },
    async verify(store, ids) {
      const cells = ids.length === 0 ? [] : await store.cells(ids);
      return cells.filter((cell) => cell.code.includes(lastName!) && continuesTyped(cell.code));
    },
  };
}

const NO_IDS: ReadonlySet<string> = new Set<string>();

interface RankingOptions {
  readonly minConfidence: number;
  /** Whether cells that continue the line are kept at any confidence. */
  readonly keepsContinuing: boolean;
  /** Candidates that probably continue the line; they are checked even if they are not among the best. */
  readonly lineStarts?: ReadonlySet<string>;
  /** Candidates that the label filter excludes. They are kept only if they continue the line. */
  readonly unfiltered?: ReadonlySet<string>;
  readonly profiles: ReadonlyMap<string, Uint8Array>;
}

/**
 * Adds a bonus to cells that continue the line that is being typed; the lines above do not matter. The text of a cell
 * is read only if the order of the first candidates depends on it.
 */
export function rankContinuing(
  store: VectorStore,
  ranked: readonly RankedCandidate[],
  check: ContinuingCheck,
  { minConfidence, keepsContinuing, lineStarts = NO_IDS, unfiltered = NO_IDS, profiles }: RankingOptions,
): Ranking {
  /** Cells that are not in the map do not continue the line. */
  const verdicts = new Map<string, "perhaps" | "yes">();
  for (const [at, { id }] of ranked.entries())
    if ((at < MAX_CHECKED || lineStarts.has(id)) && check.mayContinue(profiles.get(id))) verdicts.set(id, "perhaps");
  const isKept = ({ id, confidence }: RankedCandidate) => {
    if (verdicts.has(id) ? keepsContinuing : unfiltered.has(id)) return verdicts.has(id);
    return confidence === null || confidence >= minConfidence;
  };
  const order = () => sortWithBonus(ranked.filter(isKept), check.bonus, (id) => verdicts.has(id));
  let sorted = order();
  const verify = async (ids: readonly string[]) => {
    for (const id of ids) verdicts.delete(id);
    for (const { id } of await check.verify(store, ids)) verdicts.set(id, "yes");
    sorted = order();
  };
  const openAmong = (hits: readonly RankedCandidate[]) =>
    hits.flatMap(({ id }) => (verdicts.get(id) === "perhaps" ? id : []));
  return {
    async first(count) {
      for (;;) {
        const first = sorted.slice(0, count);
        const open = openAmong(first);
        if (open.length === 0) return first;
        await verify(open);
      }
    },
    async isCutOff() {
      if (sorted.length < ranked.length) return true;
      const doubtful = ranked.filter(({ confidence }) => confidence !== null && confidence < minConfidence);
      await verify(openAmong(doubtful));
      return sorted.length < ranked.length;
    },
  };
}

function sortWithBonus(
  hits: readonly RankedCandidate[],
  bonus: number,
  continues: (id: string) => boolean,
): readonly RankedCandidate[] {
  return hits
    .map((hit) => (continues(hit.id) ? { ...hit, score: hit.score + bonus } : hit))
    .sort((left, right) => right.score - left.score || (left.id < right.id ? -1 : 1));
}

/** A ranking that is already complete. */
export function rankAll(ranked: readonly RankedCandidate[], cutOff: number): Ranking {
  return { first: async (count) => ranked.slice(0, count), isCutOff: async () => cutOff > 0 };
}
