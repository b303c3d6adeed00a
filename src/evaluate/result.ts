import { RecommenderError } from "../errors.js";
import { asRecord } from "../notebook/json.js";
import { type ResultDocument, suiteOf } from "./suites/index.js";

export type { ResultDocument } from "./suites/index.js";

/** Reads a result document; `name` is what the message of INPUT_INVALID calls it. */
export function parseResult(text: string, name: string): ResultDocument {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw invalid(`${name} is not JSON: ${(cause as Error).message}`);
  }
  const document = asRecord(json);
  if (typeof document?.suite !== "string")
    throw invalid(`${name} is no result of celrec eval: /suite: must be a string`);
  const parsed = suiteOf(document.suite).schema.safeParse(json);
  if (parsed.success) return parsed.data as ResultDocument;
  const problems = parsed.error.issues.map(({ path, message }) => ({ pointer: `/${path.join("/")}`, message }));
  const [first] = problems;
  throw new RecommenderError(
    "INPUT_INVALID",
    `${name} is no result of celrec eval: ${first!.pointer}: ${first!.message}` +
      (problems.length > 1 ? ` (and ${problems.length - 1} more)` : ""),
    { cause: parsed.error, problems },
  );
}

const invalid = (message: string): RecommenderError => new RecommenderError("INPUT_INVALID", message);
