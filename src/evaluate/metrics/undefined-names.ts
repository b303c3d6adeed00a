import { hasUndefinedName } from "../text/name-check.js";
import type { TextMetric } from "./metric.js";

/**
 * undefined-names = the share of the k insertions that use a name that neither they nor the cells above
 * define. Empty insertions are left out, and so are cases after `from x import *` and cases without the code above.
 */
export const undefinedNames: TextMetric = {
  kind: "text",
  name: "undefined-names",
  description: "Share of the insertions that use an undefined name.",
  better: "lower",
  cut: false,
  combine: "mean",
  reads: "placed",
  of: (result, { above }) => {
    if (above === undefined || result.raw.trim() === "") return null;
    const isUndefined = hasUndefinedName(above, result.raw);
    return isUndefined === null ? null : Number(isUndefined);
  },
};
