import { type TargetAnswer, TargetFault, type TargetHit } from "../../target.js";
import { type Path, pick, pickOne, type TargetFile } from "./target-schema.js";

/** One entry of a list, not checked yet. */
interface RawHit {
  readonly code?: unknown;
  readonly adapted?: unknown;
  readonly insert?: unknown;
  readonly continuesLine?: unknown;
  readonly score?: unknown;
  readonly confidence?: unknown;
}

/** The first k entries; entries without code are left out and counted. */
export function readHits(entries: readonly RawHit[], k: number): Pick<TargetAnswer, "hits" | "junk"> {
  const first = entries.slice(0, k);
  const hits = first.flatMap(({ code, adapted, insert, continuesLine, score, confidence }): TargetHit[] => {
    const text = toText(code);
    if (text === null || text.trim() === "") return [];
    const changed = toText(adapted);
    const inserted = toText(insert);
    return [
      {
        code: text,
        ...(changed !== null && { adapted: changed }),
        ...(inserted !== null && { insert: inserted }),
        ...(continuesLine === true && { continuesLine }),
        score: toNumber(score),
        confidence: toShare(confidence),
      },
    ];
  });
  return { hits, junk: first.length - hits.length };
}

/** A string, or the list of lines that a notebook has as a source. */
function toText(code: unknown): string | null {
  if (typeof code === "string") return code;
  const isLines = Array.isArray(code) && code.length > 0 && code.every((line) => typeof line === "string");
  return isLines ? code.join("") : null;
}

function toNumber(value: unknown): number | null {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

function toShare(value: unknown): number | null {
  const number = toNumber(value);
  return number !== null && number >= 0 && number <= 1 ? number : null;
}

/** Where a hit's code, score and other fields are in an entry of the answer. */
type HitPaths = Omit<NonNullable<TargetFile["recommend"]>, "steps" | "hits">;

/**
 * The entries of the answer's list, in its order, or its single text; a fault of kind junk if there is neither.
 * `field` is the field of the target file that names the list.
 */
export function findHits(
  answer: unknown,
  { code = [], adapted, insert, score, confidence }: HitPaths,
  hits: Path,
  label: string,
  field = "recommend.hits",
): RawHit[] {
  const star = hits.lastIndexOf(null);
  const lists = pick(answer, star < 0 ? hits : hits.slice(0, star));
  if (star < 0 && typeof lists[0] === "string") return [{ code: lists[0] }];
  if (lists.length === 0 || !lists.every(Array.isArray)) {
    throw new TargetFault("junk", `${label} gave an answer without a list at ${field}`);
  }
  const below = star < 0 ? [] : hits.slice(star + 1);
  return lists.flat().map((item: unknown) => {
    const hit = pickOne(item, below);
    return {
      code: pickOne(hit, code),
      ...(adapted && { adapted: pickOne(hit, adapted) }),
      ...(insert && { insert: pickOne(hit, insert) }),
      ...(score && { score: pickOne(hit, score) }),
      ...(confidence && { confidence: pickOne(hit, confidence) }),
    };
  });
}
