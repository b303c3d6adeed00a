import { RecommenderError } from "../errors.js";
import { decode, findJsonHazard } from "../notebook/json.js";

/** The JSON of a request; INPUT_INVALID where it is none, or would cost more than any request is worth. */
export function parseJson(bytes: Uint8Array, mostValues?: number): unknown {
  const text = decode(bytes).replace(/^\uFEFF/, "");
  const hazard = findJsonHazard(text, mostValues);
  if (hazard !== null) throw new RecommenderError("INPUT_INVALID", `The body is not accepted: ${hazard}.`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = text.trim() === "" ? "it is empty" : (cause as Error).message.slice(0, 200);
    throw new RecommenderError("INPUT_INVALID", `The body is not JSON: ${reason}`, { cause });
  }
}
