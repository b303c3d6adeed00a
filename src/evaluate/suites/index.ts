import type { z } from "zod";
import { RecommenderError } from "../../errors.js";
import { asRecord } from "../../notebook/json-text.js";
import type { Suite } from "../suite.js";
import { celrecSuite } from "./celrec/celrec-suite.js";
import { cursorSuite } from "./cursor/cursor-suite.js";
import { exedsSuite } from "./exeds/exeds-suite.js";
import { feedbackSuite } from "./feedback/feedback-suite.js";
import { juiceSuite } from "./juice/juice-suite.js";
import { labelsSuite } from "./labels/labels-suite.js";
import { themistoSuite } from "./themisto/themisto-suite.js";
import { typingSuite } from "./typing/typing-suite.js";

/** Every suite, in the order of the help. A new one is a folder here and a line in this list. */
export const SUITES = [
  celrecSuite,
  typingSuite,
  cursorSuite,
  labelsSuite,
  juiceSuite,
  themistoSuite,
  exedsSuite,
  feedbackSuite,
] as const satisfies readonly Suite[];

/** The document that `--json` prints and reports are rendered from. */
export type ResultDocument = z.output<(typeof SUITES)[number]["schema"]>;

/** The suite of this name; INPUT_INVALID if there is none. */
export function suiteOf(name: unknown): Suite {
  const found = (SUITES as readonly Suite[]).find((suite) => suite.name === name);
  if (found !== undefined) return found;
  const known = SUITES.map((suite) => suite.name).join(", ");
  throw new RecommenderError("INPUT_INVALID", `There is no suite ${JSON.stringify(name)}; known suites: ${known}.`);
}

/** Reads a result document. `name` is used in the message of INPUT_INVALID. */
export function parseResult(text: string, name: string): ResultDocument {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw invalid(`${name} is not JSON: ${(cause as Error).message}`);
  }
  const document = asRecord(json);
  if (typeof document?.suite !== "string")
    throw invalid(`${name} is not a result of celrec eval: /suite: must be a string`);
  const parsed = suiteOf(document.suite).schema.safeParse(json);
  if (parsed.success) return parsed.data as ResultDocument;
  const problems = parsed.error.issues.map(({ path, message }) => ({ pointer: `/${path.join("/")}`, message }));
  const [first] = problems;
  throw new RecommenderError(
    "INPUT_INVALID",
    `${name} is not a result of celrec eval: ${first!.pointer}: ${first!.message}` +
      (problems.length > 1 ? ` (and ${problems.length - 1} more)` : ""),
    { cause: parsed.error, problems },
  );
}

const invalid = (message: string): RecommenderError => new RecommenderError("INPUT_INVALID", message);
