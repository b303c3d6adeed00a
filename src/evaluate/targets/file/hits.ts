import type { TargetAnswer, TargetHit } from "../../target.js";

/** What one entry of a list says, before anybody has looked at it. */
export interface RawHit {
  readonly code?: unknown;
  readonly adapted?: unknown;
  readonly insert?: unknown;
  readonly score?: unknown;
  readonly confidence?: unknown;
}

/** The first k entries; those without code are left out and counted. */
export function readHits(entries: readonly RawHit[], k: number): Pick<TargetAnswer, "hits" | "junk"> {
  const first = entries.slice(0, k);
  const hits = first.flatMap(({ code, adapted, insert, score, confidence }): TargetHit[] => {
    const text = toText(code);
    if (text === null || text.trim() === "") return [];
    const changed = toText(adapted);
    const inserted = toText(insert);
    return [
      {
        code: text,
        ...(changed !== null && { adapted: changed }),
        ...(inserted !== null && { insert: inserted }),
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
