import { TargetFault } from "../../target.js";
import type { RawHit } from "./hits.js";
import { type Path, pick } from "./path.js";
import type { TargetFile } from "./schema.js";

/** The entries of the answer's list, in its order, or the one text there; a fault of kind junk where there is neither. */
export function findHits(
  answer: unknown,
  { code = [], adapted, insert, score, confidence }: TargetFile["recommend"],
  hits: Path,
  label: string,
): RawHit[] {
  const star = hits.lastIndexOf(null);
  const lists = pick(answer, star < 0 ? hits : hits.slice(0, star));
  if (star < 0 && typeof lists[0] === "string") return [{ code: lists[0] }];
  if (lists.length === 0 || !lists.every(Array.isArray)) {
    throw new TargetFault("junk", `${label} answered without the list that recommend.hits names`);
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

/** The value at the path, or the list of values where it names every item. */
export function pickOne(value: unknown, path: Path): unknown {
  const found = pick(value, path);
  return path.includes(null) ? found : found[0];
}
