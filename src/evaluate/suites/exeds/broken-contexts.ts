import { RecommenderError } from "../../../errors.js";
import type { PredictedCase } from "../../predictions/document.js";
import { endingOfContext } from "./execute.js";

/** What keeps problems from being asked: their own cells above fail, whatever is predicted. Null where all could be asked. */
export function describeBroken(cases: readonly PredictedCase[]): string | null {
  const broken = cases.flatMap(({ id, notes }) => {
    const ended = endingOfContext(notes?.raw ?? "");
    return ended === null ? [] : [{ id, ended }];
  });
  const [first] = broken;
  if (first === undefined) return null;
  return `The cells above ${broken.length} of ${cases.length} problems do not run, ${first.id} for example: ${first.ended}. Does the Python of --python have all that they import?`;
}

/** INPUT_INVALID where no problem could be asked: figures of 0 would look like a bad recommender. */
export function requireContexts(cases: readonly PredictedCase[]): void {
  const isBroken = ({ notes }: PredictedCase) => endingOfContext(notes?.raw ?? "") !== null;
  if (cases.every(isBroken))
    throw new RecommenderError("INPUT_INVALID", `Nothing is measured. ${describeBroken(cases)}`);
}
