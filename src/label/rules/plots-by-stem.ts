import type { Rule } from "../rule.js";

/** Beginnings that mean drawing in several languages, and the end of `twoplot`, `boxplots`. */
const STEM = /^(?:plot|graf|graph|visuali|histog|dibuj|desenh|dessin|zeichn)|plots?$/;

export const plotsByStem: Rule = {
  name: "plots-by-stem",
  label: "visualize_data",
  description: "Calls a function of the author's whose name begins or ends like a word for drawing.",
  strength: 0.8,
  when: ({ calls }) => {
    for (const call of calls) if (STEM.test(call)) return true;
    return false;
  },
};
