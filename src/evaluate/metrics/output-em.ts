import { outputValue } from "../text/output.js";
import type { TextMetric } from "./metric.js";

/**
 * output-em = 1 where the output of the predicted cell says the same as that of the real one (ExeDS): numbers rounded to
 * two decimals, white space normalised, explanatory strings around printed values dropped. Texts are outputs here, not
 * code. A prediction that printed nothing, or did not run, scores 0.
 */
export const outputEm: TextMetric = {
  kind: "text",
  name: "output-em",
  description: "Share of the cases where the executed prediction prints what the real cell prints.",
  better: "higher",
  cut: false,
  combine: "best",
  of: (result, { reference }) => {
    const given = outputValue(result.raw);
    return given !== "" && given === outputValue(reference.raw) ? 1 : 0;
  },
};
