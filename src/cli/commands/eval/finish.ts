import type { ResultDocument } from "../../../evaluate/result.js";
import type { Figures } from "../../../evaluate/results/common.js";
import type { Context } from "../../context.js";
import type { Output } from "../../output.js";
import { enforceThresholds } from "./gate.js";
import type { SuiteOptions } from "./options.js";

const INTERRUPTED = 130;

/** Prints what came of a run and holds it against the thresholds; null is a run that was interrupted. */
export function finish<T extends ResultDocument>(
  { output }: Context,
  result: T | null,
  { failUnder, report }: Pick<SuiteOptions, "failUnder" | "report">,
  show: (output: Output, result: T) => void,
  figures: (result: T) => Figures,
): number {
  if (result === null) {
    output.note("Interrupted; the same command goes on from here.");
    return INTERRUPTED;
  }
  output.document(result);
  show(output, result);
  for (const path of report) output.line(`wrote ${path}`);
  enforceThresholds(failUnder, figures(result));
  return 0;
}
