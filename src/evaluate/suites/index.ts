import type { z } from "zod";
import { RecommenderError } from "../../errors.js";
import type { Suite } from "../suite.js";
import { celrecSuite } from "./celrec/suite.js";
import { exedsSuite } from "./exeds/suite.js";
import { feedbackSuite } from "./feedback/suite.js";
import { juiceSuite } from "./juice/suite.js";
import { labelsSuite } from "./labels/suite.js";
import { themistoSuite } from "./themisto/suite.js";
import { typingSuite } from "./typing/suite.js";

/** Every suite, in the order of the help. A new one is a folder here and a line in this list. */
export const SUITES = [
  celrecSuite,
  typingSuite,
  labelsSuite,
  juiceSuite,
  themistoSuite,
  exedsSuite,
  feedbackSuite,
] as const satisfies readonly Suite[];

/** What `--json` prints and the reports are made of. */
export type ResultDocument = z.output<(typeof SUITES)[number]["schema"]>;

/** The suite of this name; INPUT_INVALID where there is none. */
export function suiteOf(name: unknown): Suite {
  const found = (SUITES as readonly Suite[]).find((suite) => suite.name === name);
  if (found !== undefined) return found;
  const known = SUITES.map((suite) => suite.name).join(", ");
  throw new RecommenderError("INPUT_INVALID", `there is no suite ${JSON.stringify(name)}; known are ${known}`);
}
